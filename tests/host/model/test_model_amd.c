/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's part of the model. Expectations: AMD APM vol. 2, "Performance Monitoring Counters", vol. 3,
 * appendix E; the BKDG of family 10h and the PPRs of families 17h and 19h. */
#include <string.h>

#include "tests/host/model/model_test.h"
#include "tests/host/names.h"

#define DEBUGCTL      0x1d9
#define GLOBAL_STATUS 0xc0000300
#define GLOBAL_CTL    0xc0000301
#define STATUS_CLR    0xc0000302
#define STATUS_SET    0xc0000303
#define LEGACY_CTL    0xc0010000
#define LEGACY_CTR    0xc0010004
#define HWCR          0xc0010015
#define CORE_CTL(i)   (0xc0010200 + 2 * (i))
#define CORE_CTR(i)   (0xc0010201 + 2 * (i))

#define AMD_CYCLES 0x76ull
#define AMD_INSNS  0xc0ull
#define GUEST_ONLY (1ull << 40)
#define HOST_ONLY  (1ull << 41)
#define SELECTED   0x30fffd7ffffull /* of PERF_CTL: without bits 19, 21, 36 to 39, 42 to 63 */

enum { EAX, EBX, ECX, EDX };

#define EXTENDED_APIC (1 << 3) /* CPUID leaf 80000001H, ECX */
#define IBS           (1 << 10)

static const struct {
	const char *name;
	unsigned counters;
	bool core, v2;
	unsigned family, model;
	uint32_t delay, ibs;
} parts[] = {
    {"amd-k7", 4, false, false, 0x10, 0x04, 0, 0x01f},
    {"amd-core", 6, true, false, 0x17, 0x71, 32, 0x2ff},
    {"zen3", 6, true, false, 0x19, 0x21, 0, 0x2ff},
    {"amd-v2", 6, true, true, 0x19, 0x61, 0, 0xaff},
    {"zen5", 6, true, true, 0x1a, 0x44, 0, 0x1aff},
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* A write of all ones is accepted and leaves these. */
static void keeps(struct model *m, uint32_t msr, uint64_t bits)
{
	wr(m, msr, UINT64_MAX);
	assert_int_equal(rd(m, msr), bits);
	wr(m, msr, 0);
	assert_int_equal(rd(m, msr), 0);
}

static void absent(struct model *m, uint32_t msr)
{
	uint64_t value;

	assert_int_equal(model_rdmsr(m, msr, &value), MODEL_GP);
	wr_faults(m, msr, 0);
}

/* Reserved bits of selections and counters are dropped, never refused. */
static void test_counters(void **state)
{
	struct model m;

	(void)state;
	assert_names_all(parts, &vendor_amd);
	for (unsigned p = 0; p < PARTS; p++) {
		reset(&m, parts[p].name);
		for (unsigned i = 0; i < 4; i++) {
			keeps(&m, LEGACY_CTL + i, SELECTED);
			keeps(&m, LEGACY_CTR + i, 0xffffffffffff);
		}
		for (unsigned i = 0; i < 8; i++)
			if (parts[p].core && i < parts[p].counters) {
				keeps(&m, CORE_CTL(i), SELECTED);
				keeps(&m, CORE_CTR(i), 0xffffffffffff);
			} else {
				absent(&m, CORE_CTL(i));
				absent(&m, CORE_CTR(i));
			}
	}
}

/* The legacy registers are the first four core counters. */
static void test_aliases(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "amd-core");
	for (unsigned i = 0; i < 4; i++) {
		wr(&m, LEGACY_CTL + i, 0x100000076 + i);
		wr(&m, CORE_CTR(i), 0x123456789a00 + i);
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(rd(&m, CORE_CTL(i)), 0x100000076 + i);
		assert_int_equal(rd(&m, LEGACY_CTR + i), 0x123456789a00 + i);
	}
}

static void test_global_registers(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		reset(&m, parts[p].name);
		if (!parts[p].v2) {
			for (uint32_t msr = GLOBAL_STATUS; msr <= STATUS_SET; msr++)
				absent(&m, msr);
			continue;
		}
		assert_int_equal(rd(&m, GLOBAL_CTL), 0x3f);
		keeps(&m, GLOBAL_CTL, 0x3f);
		wr(&m, GLOBAL_STATUS, UINT64_MAX);
		assert_int_equal(rd(&m, GLOBAL_STATUS), 0);
		wr(&m, STATUS_SET, UINT64_MAX);
		assert_int_equal(rd(&m, GLOBAL_STATUS), 0x0c0000000000003f);
		assert_false(model_take_pmi(&m));
		wr(&m, STATUS_CLR, 0x0400000000000011);
		assert_int_equal(rd(&m, GLOBAL_STATUS), 0x080000000000002e);
		assert_int_equal(rd(&m, STATUS_SET) | rd(&m, STATUS_CLR), 0);
	}
}

/* DebugCtl refuses its reserved bits; freezes came with PerfMonV2. */
static void test_debugctl(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < PARTS; p++)
		for (unsigned bit = 0; bit < 64; bit++) {
			reset(&m, parts[p].name);
			if (bit < 6 || (parts[p].v2 && (bit == 11 || bit == 12)))
				wr(&m, DEBUGCTL, 1ull << bit);
			else
				wr_faults(&m, DEBUGCTL, 1ull << bit);
		}
}

/* The TSC's frequency is that of the first performance state: HWCR says so whatever is written. */
static void test_hwcr(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "amd-core");
	assert_int_equal(rd(&m, HWCR), 1 << 24);
	wr(&m, HWCR, 1 << 30);
	assert_int_equal(rd(&m, HWCR), 1 << 30 | 1 << 24);
}

/* Nothing that only Intel has is there. */
static void test_no_intel(void **state)
{
	static const uint32_t registers[] = {0x0c1, 0x186, 0x1a0, 0x1a6, 0x309, 0x345,
					     0x38d, 0x38e, 0x38f, 0x390, 0x4c1, 0x600};
	struct model m;

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		reset(&m, parts[p].name);
		for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
			absent(&m, registers[i]);
	}
}

static void vendor(const char *name, uint32_t leaf)
{
	char text[13] = {0};
	uint32_t regs[4];

	cpuid(name, leaf, 0, regs);
	memcpy(text, &regs[EBX], 4);
	memcpy(text + 4, &regs[EDX], 4);
	memcpy(text + 8, &regs[ECX], 4);
	assert_string_equal(text, "AuthenticAMD");
}

static void test_identity(void **state)
{
	uint32_t regs[4], extended[4];

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		vendor(parts[p].name, 0);
		vendor(parts[p].name, 0x80000000);
		cpuid(parts[p].name, 1, 0, regs);
		assert_int_equal(regs[EAX] >> 8 & 0xf, 0xf);
		assert_int_equal(0xf + (regs[EAX] >> 20 & 0xff), parts[p].family);
		assert_int_equal((regs[EAX] >> 4 & 0xf) | (regs[EAX] >> 12 & 0xf0), parts[p].model);
		cpuid(parts[p].name, 0x80000001, 0, extended);
		assert_int_equal(extended[EAX], regs[EAX]);
	}
}

static void test_features(void **state)
{
	uint32_t regs[4];

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		cpuid(parts[p].name, 0xa, UINT32_MAX, regs);
		assert_int_equal(regs[EAX] | regs[EBX] | regs[ECX] | regs[EDX], 0);
		cpuid(parts[p].name, 1, UINT32_MAX, regs);
		assert_int_equal(regs[ECX], 0xffff7fcb); /* no DTES64, DS-CPL, VMX, PDCM */
		cpuid(parts[p].name, 0x80000001, 0, regs);
		assert_int_equal(regs[ECX], (parts[p].core ? 1 << 23 : 0) | EXTENDED_APIC | IBS);
		/* no LWP, counters of the north bridge, the TSC and the cache, no MONITORX */
		cpuid(parts[p].name, 0x80000001, UINT32_MAX, regs);
		assert_int_equal(regs[ECX], parts[p].core ? 0xc6ff7fff : 0xc67f7fff);
		cpuid(parts[p].name, 0x80000000, 0, regs);
		assert_int_equal(regs[EAX], parts[p].v2 ? 0x80000022 : 0x8000001b);
		cpuid(parts[p].name, 0x8000001b, UINT32_MAX, regs);
		assert_int_equal(regs[EAX], parts[p].ibs);
		assert_int_equal(regs[EBX] | regs[ECX] | regs[EDX], 0);
		cpuid(parts[p].name, 0x80000022, UINT32_MAX, regs);
		assert_int_equal(regs[EAX] & 1, parts[p].v2);
		assert_int_equal(regs[EAX] >> 2 & 1, parts[p].v2);
		assert_int_equal(regs[EBX] & 0xf, parts[p].v2 ? parts[p].counters : 0);
	}
}

static void test_rdpmc(void **state)
{
	uint64_t value;
	struct model m;

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		reset(&m, parts[p].name);
		for (unsigned i = 0; i < 4; i++)
			wr(&m, LEGACY_CTR + i, 0xff0000000000 + i);
		for (uint32_t kind = 0; kind < 0x10000; kind++)
			for (uint32_t i = 0; i < 16; i++)
				assert_int_equal(model_rdpmc(&m, kind << 16 | i, &value),
						 !kind && i < parts[p].counters ? MODEL_OK
										: MODEL_GP);
		assert_int_equal(rdpmc(&m, 3), 0xff0000000003);
	}
}

/* A counter for the host or guests only does not count outside SVM; both bits mean neither. */
static void test_host_guest(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		reset(&m, parts[p].name);
		wr(&m, LEGACY_CTL, AMD_INSNS | USR | EN);
		wr(&m, LEGACY_CTL + 1, AMD_INSNS | USR | EN | HOST_ONLY);
		wr(&m, LEGACY_CTL + 2, AMD_INSNS | USR | EN | GUEST_ONLY);
		wr(&m, LEGACY_CTL + 3, AMD_INSNS | USR | EN | HOST_ONLY | GUEST_ONLY);
		retire(&m, MODEL_USER, 1000);
		retire(&m, MODEL_KERNEL, 500);
		assert_int_equal(rdpmc(&m, 0), 1000);
		assert_int_equal(rdpmc(&m, 1), 0);
		assert_int_equal(rdpmc(&m, 2), 0);
		assert_int_equal(rdpmc(&m, 3), 1000);
	}
}

/* Event codes have 12 bits: their upper four are not part of the lower ones' event. */
static void test_wide_events(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "amd-v2");
	wr(&m, CORE_CTL(0), 0x100000120 | USR | EN); /* cycles at the TSC's frequency: 120H */
	wr(&m, CORE_CTL(1), 0x1000000c0 | USR | EN); /* 1C0H is no event here */
	wr(&m, CORE_CTL(2), AMD_CYCLES | USR | EN);
	retire(&m, MODEL_USER, 16384);
	assert_int_equal(rdpmc(&m, 0), 16384);
	assert_int_equal(rdpmc(&m, 1), 0);
	assert_int_equal(rdpmc(&m, 2), 12288);
}

static void arm(struct model *m, unsigned i, uint64_t left)
{
	wr(m, LEGACY_CTR + i, -left);
	wr(m, LEGACY_CTL + i, AMD_INSNS | USR | OS | EN | INT);
}

/* Only PerfMonV2 says who wrapped; delivery masks nothing. */
static void test_wrap(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < PARTS; p++) {
		reset(&m, parts[p].name);
		assert_false(model_masks_lvtpc(&m));
		arm(&m, 2, 100);
		assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 100);
		retire(&m, MODEL_USER, 99);
		assert_int_equal(rdpmc(&m, 2), 0xffffffffffff);
		retire(&m, MODEL_USER, 1);
		assert_int_equal(rdpmc(&m, 2), 0);
		if (parts[p].v2)
			assert_int_equal(rd(&m, GLOBAL_STATUS), 4);
		assert_int_equal(model_take_pmi(&m), !parts[p].delay);
		retire(&m, MODEL_KERNEL, parts[p].delay);
		assert_int_equal(model_take_pmi(&m), parts[p].delay != 0);
		assert_false(model_take_pmi(&m));
	}
}

/* With DebugCtl's freeze the PMI stops all counters until the status is cleared. */
static void test_freeze(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "amd-v2");
	wr(&m, DEBUGCTL, 1 << 12);
	arm(&m, 0, 10);
	retire(&m, MODEL_USER, 10);
	assert_true(model_take_pmi(&m));
	assert_int_equal(rd(&m, GLOBAL_STATUS), 1ull << 59 | 1);
	retire(&m, MODEL_USER, 10);
	assert_int_equal(rdpmc(&m, 0), 0);
	wr(&m, STATUS_CLR, 1ull << 59 | 1);
	retire(&m, MODEL_USER, 10);
	assert_int_equal(rdpmc(&m, 0), 10);
}

/* A PMI that is on its way arrives though its counter was stopped: the NMI that finds nothing. */
static void test_late(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "amd-core");
	arm(&m, 0, 10);
	retire(&m, MODEL_USER, 15);
	wr(&m, CORE_CTL(0), 0);
	assert_true(model_counts(&m));
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 32 - 5);
	retire(&m, MODEL_KERNEL, 26);
	assert_false(model_take_pmi(&m));
	retire(&m, MODEL_KERNEL, 1);
	assert_true(model_take_pmi(&m));
	assert_false(model_counts(&m));
}

/* Two counters that wrap one after the other send two, whoever handles them first. */
static void test_late_twice(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "amd-core");
	arm(&m, 0, 10);
	arm(&m, 1, 20);
	retire(&m, MODEL_USER, 42);
	assert_true(model_take_pmi(&m));
	wr(&m, CORE_CTR(0), -1000);
	wr(&m, CORE_CTR(1), -1000);
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 10);
	retire(&m, MODEL_USER, 10);
	assert_true(model_take_pmi(&m));
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), 990);
}

/* When a PMI arrives does not depend on how the work is divided. */
static void test_late_division(void **state)
{
	uint64_t seed = 5;
	struct model m;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		uint64_t due = 100 + below(&seed, 100), left = due + 32;

		reset(&m, "amd-core");
		arm(&m, 0, due);
		while (left > 1) {
			uint64_t step = 1 + below(&seed, left - 1);

			retire(&m, MODEL_USER, step);
			left -= step;
			assert_false(model_take_pmi(&m));
		}
		retire(&m, MODEL_USER, 1);
		assert_true(model_take_pmi(&m));
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_counters),
    cmocka_unit_test(test_aliases),
    cmocka_unit_test(test_global_registers),
    cmocka_unit_test(test_debugctl),
    cmocka_unit_test(test_hwcr),
    cmocka_unit_test(test_no_intel),
    cmocka_unit_test(test_identity),
    cmocka_unit_test(test_features),
    cmocka_unit_test(test_rdpmc),
    cmocka_unit_test(test_host_guest),
    cmocka_unit_test(test_wide_events),
    cmocka_unit_test(test_wrap),
    cmocka_unit_test(test_freeze),
    cmocka_unit_test(test_late),
    cmocka_unit_test(test_late_twice),
    cmocka_unit_test(test_late_division),
};

TAP_MAIN("model: AMD")
