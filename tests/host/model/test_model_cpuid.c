/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID on each personality, and RDPMC's index space. Expectations: SDM vol. 2, CPUID and RDPMC. */
#include <string.h>

#include "tests/host/model/model_test.h"
#include "tests/host/names.h"

enum { EAX, EBX, ECX, EDX };

static const char *const all[] = {"none",         "intel-v1", "intel-v2",       "intel-v3",
				  "intel-v4",     "intel-v5", "granite-rapids", "gracemont",
				  "sandy-bridge", "haswell",  "ice-lake"};
#define ALL (sizeof(all) / sizeof(all[0]))

/* Whether there is IA32_PERF_CAPABILITIES. */
static const bool capabilities[ALL] = {false, false, true, true, true, true,
				       true,  true,  true, true, true};
/* Whether there is a debug store (with 64-bit records) for PEBS. */
static const bool debug_store[ALL] = {false, false, true, true, true, true,
				      true,  true,  true, true, true};

/* Whether last branch records are architectural. */
static const bool arch_lbr[ALL] = {false, false, false, false, false, true, true, true};

/* Whether there is Processor Trace. */
static const bool processor_trace[ALL] = {false, false, false, false, true, true,
					  true,  true,  false, false, true};

/* Whether there is IA32_ARCH_CAPABILITIES. */
static const bool immune[ALL] = {false, false, false, false, false, true,
				 true,  true,  false, false, true};

/* Whether there is leaf 15H. */
static const bool crystal[ALL] = {true, false, false, false, true, true,
				  true, true,  false, false, true};

#define PDCM   0x8000u
#define DTES64 0x4u
#define DS_CPL 0x10u
#define DS_CPL 0x10u
#define DS     0x200000u
#define PT     0x2000000u

static void test_vendor(void **state)
{
	uint32_t regs[4];
	char vendor[13] = {0};

	(void)state;
	for (unsigned i = 0; i < ALL; i++) {
		cpuid(all[i], 0, 7, regs);
		memcpy(vendor, &regs[EBX], 4);
		memcpy(vendor + 4, &regs[EDX], 4);
		memcpy(vendor + 8, &regs[ECX], 4);
		assert_string_equal(vendor, "GenuineIntel");
		/* leaf 0AH can be asked, and 15H and 1CH where there is one */
		assert_int_equal(regs[EAX], arch_lbr[i] ? 0x1c : crystal[i] ? 0x15 : 0xa);
		cpuid(all[i], 0, 0x20, regs);
		assert_int_equal(regs[EAX], 0x20);
	}
}

static void signature(const char *name, unsigned family, unsigned model)
{
	uint32_t regs[4];

	cpuid(name, 1, 0, regs);
	assert_int_equal((regs[EAX] >> 8 & 0xf) + (regs[EAX] >> 20 & 0xff), family);
	assert_int_equal((regs[EAX] >> 4 & 0xf) | (regs[EAX] >> 12 & 0xf0), model);
}

static void test_signature(void **state)
{
	(void)state;
	signature("intel-v1", 6, 0x0e); /* Core Duo */
	signature("intel-v3", 6, 0x1a); /* Nehalem */
	signature("intel-v5", 6, 0x8f); /* Sapphire Rapids */
	signature("intel-v2", 6, 0x17); /* Core 2, 45 nm */
	signature("intel-v4", 6, 0x5e); /* Skylake */
	signature("granite-rapids", 6, 0xad);
	signature("gracemont", 6, 0xbe); /* Alder Lake N */
	signature("sandy-bridge", 6, 0x2a);
	signature("haswell", 6, 0x3c);
	signature("ice-lake", 6, 0x7e);
	signature("none", 6, 0x5e);
}

static void test_features(void **state)
{
	uint32_t regs[4];

	(void)state;
	for (unsigned i = 0; i < ALL; i++) {
		cpuid(all[i], 1, UINT32_MAX, regs);
		assert_int_equal(regs[EBX], UINT32_MAX);
		/* no VMX; PDCM where there is IA32_PERF_CAPABILITIES; the hypervisor bit stays */
		assert_int_equal(regs[ECX], 0xffff7fcb | (capabilities[i] ? PDCM : 0) |
						(debug_store[i] ? DTES64 | DS_CPL : 0));
		assert_int_equal(regs[EDX], 0xffdfffff | (debug_store[i] ? DS : 0));
		cpuid(all[i], 1, 0, regs);
		assert_int_equal(regs[ECX], (capabilities[i] ? PDCM : 0) |
						(debug_store[i] ? DTES64 | DS_CPL : 0));
		assert_int_equal(regs[EDX], debug_store[i] ? DS : 0);
		cpuid(all[i], 7, UINT32_MAX, regs);
		/* no HLE, RTM; PT from Skylake on */
		assert_int_equal(regs[EBX], 0xfdfff7ef | (processor_trace[i] ? PT : 0));
		assert_int_equal(regs[EDX] | 1u << 29, arch_lbr[i] ? 0xffff7fff : 0xfff77fff);
		assert_int_equal(regs[EDX] >> 29 & 1, immune[i]);
	}
}

static void test_arch_perfmon(void **state)
{
	/* EAX: events, width, general counters, version; EDX: width of and number of fixed ones */
	static const uint32_t expected[ALL][4] = {
	    {0, 0, 0, 0},
	    {0x07280201, 0, 0, 0},
	    {0x07280202, 0, 0, 0x503},
	    {0x07300403, 0x44, 0, 0x603}, /* without bus cycles and mispredicted branches */
	    {0x07300804, 0, 0, 0x603},
	    {0x08300805, 0, 0xf, 0x8604}, /* bitmap of fixed counters; no AnyThread */
	    {0x08300805, 0, 0xf, 0x8604},
	    {0x07300605, 0, 0x7, 0x8603},
	    {0x07300803, 0, 0, 0x603},
	    {0x07300803, 0, 0, 0x603},
	    {0x08300805, 0, 0xf, 0x8604},
	};
	uint32_t regs[4];

	(void)state;
	for (unsigned i = 0; i < ALL; i++) {
		cpuid(all[i], 0xa, 0x12345678, regs);
		assert_memory_equal(regs, expected[i], sizeof(regs));
	}
}

/* Nothing that only AMD has is left: SVM, its leaves, its vendor string in 80000000H. */
static void test_no_amd(void **state)
{
	uint32_t regs[4];

	(void)state;
	for (unsigned i = 0; i < ALL; i++) {
		cpuid(all[i], 0x80000000, 0x8000001f, regs);
		assert_int_equal(regs[EAX], 0x80000008);
		assert_int_equal(regs[EBX] | regs[ECX] | regs[EDX], 0);
		cpuid(all[i], 0x80000001, UINT32_MAX, regs);
		assert_int_equal(regs[EAX] | regs[EBX], 0);
		assert_int_equal(regs[ECX], 0x00000121);
		assert_int_equal(regs[EDX], 0x2c100800);
		cpuid(all[i], 0x80000007, UINT32_MAX, regs);
		assert_int_equal(regs[EDX], 0x100);
		for (uint32_t leaf = 0x80000009; leaf < 0x80000030; leaf++) {
			cpuid(all[i], leaf, UINT32_MAX, regs);
			assert_int_equal(regs[EAX] | regs[EBX] | regs[ECX] | regs[EDX], 0);
		}
	}
}

/* Leaves 8 and 9, which the machine may not reach, and leaves of features that are absent: LBR,
 * leaf 23H; PT on older processors. */
static void test_zero_leaves(void **state)
{
	static const uint32_t leaves[] = {8, 9, 0x14, 0x1c, 0x23, 0x80000005};
	uint32_t regs[4];

	(void)state;
	for (unsigned i = 0; i < ALL; i++)
		for (size_t j = 0; j < sizeof(leaves) / sizeof(leaves[0]); j++) {
			cpuid(all[i], leaves[j], UINT32_MAX, regs);
			if ((leaves[j] != 0x1c || !arch_lbr[i]) &&
			    (leaves[j] != 0x14 || !processor_trace[i]))
				assert_int_equal(regs[EAX] | regs[EBX] | regs[ECX] | regs[EDX], 0);
		}
}

/* Up to leaf 1CH there are leaves that the machine may not reach either; the clock is not known. */
static void test_clock_leaves(void **state)
{
	uint32_t regs[4];

	(void)state;
	for (unsigned i = 0; i < ALL; i++)
		for (uint32_t leaf = 0x15; leaf <= 0x1b; leaf++) {
			cpuid(all[i], leaf, 0xa5a5c3c3, regs);
			for (unsigned k = 0; k < 4; k++)
				assert_int_equal(
				    regs[k],
				    !arch_lbr[i] && (leaf == 0x1a || !crystal[i]) ? 0xa5a5c3c3 : 0);
		}
}

static void brand(const char *name, uint32_t tsc_khz, const char *expected)
{
	char text[49] = {0};
	struct model m;

	reset(&m, name);
	model_set_clock(&m, tsc_khz, 0);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t regs[4];

		model_cpuid(&m, 0x80000002 + i, 0, regs);
		memcpy(text + 16 * i, regs, 16);
	}
	assert_string_equal(text, expected);
}

static void test_brand(void **state)
{
	(void)state;
	brand("intel-v4", 1000000, "barepmu skylake (emulated) CPU @ 1.00GHz");
	brand("intel-v2", 2095078, "barepmu core2 (emulated) CPU @ 2.10GHz");
	brand("intel-hybrid", 12345000, "barepmu alder-lake (emulated) CPU @ 12.35GHz");
	brand("amd-v2", 0, "barepmu zen4 (emulated) CPU");
}

/* A visor that knows the clock reports it, if the processor has a leaf for it. */
static void test_crystal(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ALL; i++) {
		uint32_t regs[4] = {7, 7, 7, 7};
		struct model m;

		reset(&m, all[i]);
		model_set_clock(&m, 1000000, 1000000);
		model_cpuid(&m, 0x15, 0, regs);
		assert_int_equal(regs[EAX], crystal[i] ? 1 : 7);
		assert_int_equal(regs[EBX], crystal[i] ? 1 : 7);
		assert_int_equal(regs[ECX], crystal[i] ? 1000000000 : 7);
	}
}

/* IA32_MISC_ENABLE switches features off. */
static void test_disabled(void **state)
{
	uint32_t regs[4] = {0};
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	wr(&m, IA32_MISC_ENABLE, 1ull << 22);
	model_cpuid(&m, 0, 0, regs);
	assert_int_equal(regs[EAX], 2);
	wr(&m, IA32_MISC_ENABLE, 1ull << 34);
	model_cpuid(&m, 0, 0, regs);
	assert_int_equal(regs[EAX], 0x15);
	regs[EDX] = UINT32_MAX;
	model_cpuid(&m, 0x80000001, 0, regs);
	assert_int_equal(regs[EDX], 0x2c000800);
	assert_false(model_offers_nx(&m));
}

/* Leaves that are not about PMU or identity, and the hypervisor's, pass as they are. */
static void test_pass(void **state)
{
	static const uint32_t leaves[] = {
	    2, 4, 5, 6, 0xb, 0xd, 0x40000000, 0x40000001, 0x40000010, 0x4fffffff,
	};
	uint32_t regs[4];

	(void)state;
	for (unsigned i = 0; i < ALL; i++)
		for (size_t j = 0; j < sizeof(leaves) / sizeof(leaves[0]); j++) {
			cpuid(all[i], leaves[j], 0xa5a5c3c3, regs);
			for (unsigned k = 0; k < 4; k++)
				assert_int_equal(regs[k], 0xa5a5c3c3);
		}
}

/* Every kind (bits 31:16) with numbers (bits 15:0) near the ends: only existing counters can be
 * read. */
static void rdpmc_space(const char *name, unsigned general, unsigned fixed)
{
	static const uint32_t numbers[] = {0,    1,    2,     3,      4,      7,     8,
					   0x10, 0xff, 0x100, 0x3fff, 0x8000, 0xffff};
	uint64_t value;
	struct model m;

	reset(&m, name);
	for (uint32_t kind = 0; kind < 0x10000; kind++)
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			bool metrics = kind == 0x2000 && !numbers[i] && fixed == 4;
			bool exists = (kind == 0 && numbers[i] < general) || metrics ||
				      (kind == 0x4000 && numbers[i] < fixed);

			assert_int_equal(model_rdpmc(&m, kind << 16 | numbers[i], &value),
					 exists ? MODEL_OK : MODEL_GP);
		}
}

static void test_rdpmc_space(void **state)
{
	(void)state;
	rdpmc_space("none", 0, 0);
	rdpmc_space("intel-v1", 2, 0);
	rdpmc_space("intel-v2", 2, 3);
	rdpmc_space("intel-v3", 4, 3);
	rdpmc_space("intel-v4", 8, 3);
	rdpmc_space("intel-v5", 8, 4);
	rdpmc_space("granite-rapids", 8, 4);
	rdpmc_space("gracemont", 6, 3);
	rdpmc_space("sandy-bridge", 8, 3);
	rdpmc_space("haswell", 8, 3);
	rdpmc_space("ice-lake", 8, 4);
}

static void test_rdpmc_reads(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v2");
	wr(&m, IA32_PMC0, 0x80000005);
	wr(&m, IA32_PMC0 + 1, 6);
	for (unsigned i = 0; i < 3; i++)
		wr(&m, IA32_FIXED_CTR0 + i, 0xff00000000 + i);
	assert_int_equal(rdpmc(&m, 0), 0xff80000005);
	assert_int_equal(rdpmc(&m, 1), 6);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(rdpmc(&m, 1u << 30 | i), 0xff00000000 + i);
}

static void test_names(void **state)
{
	(void)state;
	assert_null(personality_find("intel-v"));
	assert_null(personality_find("intel-v22"));
	assert_null(personality_find(""));
	assert_names_all(all, &vendor_intel); /* the hybrid: test_model_hybrid.c */
	for (unsigned i = 0; i < ALL; i++)
		assert_non_null(personality_find(all[i]));
	assert_string_equal(personality_name(personality_find("intel-v4")), "skylake");
	for (unsigned i = 0; personality_at(i); i++)
		assert_ptr_equal(personality_find(personality_name(personality_at(i))),
				 personality_at(i));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_vendor),       cmocka_unit_test(test_signature),
    cmocka_unit_test(test_features),     cmocka_unit_test(test_arch_perfmon),
    cmocka_unit_test(test_no_amd),       cmocka_unit_test(test_zero_leaves),
    cmocka_unit_test(test_clock_leaves), cmocka_unit_test(test_pass),
    cmocka_unit_test(test_rdpmc_space),  cmocka_unit_test(test_rdpmc_reads),
    cmocka_unit_test(test_names),        cmocka_unit_test(test_brand),
    cmocka_unit_test(test_crystal),      cmocka_unit_test(test_disabled),
};

TAP_MAIN("model: CPUID and RDPMC")
