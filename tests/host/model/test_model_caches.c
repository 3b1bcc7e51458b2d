/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID's leaves of caches and TLBs with a simulated core. Expected registers: dumps of an
 * i7-6700 and a Ryzen 7 3800X, except for fields that depend on the number of processors. */
#include "abi/core_geometry.h"
#include "tests/host/model/model_test.h"

enum { EAX, EBX, ECX, EDX };

static const struct core_geometry skylake = {
    .caches = {{32 << 10, 8, 1, CORE_CACHE_DATA, 0, 0, {0}},
	       {32 << 10, 8, 1, CORE_CACHE_CODE, 0, 0, {0}},
	       {256 << 10, 4, 2, CORE_CACHE_UNIFIED, 0, 0, {0}},
	       {8 << 20, 16, 3, CORE_CACHE_UNIFIED, 1, 1, {0}}},
    .tlbs = {[CORE_ITLB_4K] = {128, 8},
	     [CORE_ITLB_2M] = {8, 8},
	     [CORE_DTLB_4K] = {64, 4},
	     [CORE_DTLB_2M] = {32, 4},
	     [CORE_DTLB2_4K] = {1536, 6}},
};

static const struct core_geometry zen2 = {
    .caches = {{32 << 10, 8, 1, CORE_CACHE_DATA, 0, 0, {0}},
	       {32 << 10, 8, 1, CORE_CACHE_CODE, 0, 0, {0}},
	       {512 << 10, 8, 2, CORE_CACHE_UNIFIED, 0, 1, {0}},
	       {16 << 20, 16, 3, CORE_CACHE_UNIFIED, 1, 0, {0}}},
    .tlbs = {[CORE_ITLB_4K] = {64, 64},
	     [CORE_ITLB_2M] = {64, 64},
	     [CORE_DTLB_4K] = {64, 64},
	     [CORE_DTLB_2M] = {64, 64},
	     [CORE_ITLB2_4K] = {512, 8},
	     [CORE_DTLB2_4K] = {2048, 16}},
};

/* Reads the CPUID leaf of a guest of `name` on a machine of `processors` processors. */
static void ask(const char *name, const struct core_geometry *geometry, uint32_t leaf,
		uint32_t subleaf, unsigned processors, uint32_t regs[4])
{
	struct core_geometry g;
	struct model m;

	reset(&m, name);
	if (geometry) {
		g = *geometry;
		g.processors = processors;
		model_use_core(&m, &g, 0, MODEL_STOPS_EVENTS);
	}
	regs[EAX] = regs[EBX] = regs[ECX] = regs[EDX] = 0x12345678;
	model_cpuid(&m, leaf, subleaf, regs);
}

static void test_leaf_4(void **state)
{
	static const struct {
		uint32_t kind, ebx, ecx, inclusive;
	} want[] = {
	    {0x121, 0x01c0003f, 0x3f, 0},
	    {0x122, 0x01c0003f, 0x3f, 0},
	    {0x143, 0x00c0003f, 0x3ff, 0},
	    {0x163, 0x03c0003f, 0x1fff, 2},
	};
	uint32_t regs[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		ask("intel-v4", &skylake, 4, i, 3, regs);
		assert_int_equal(regs[EAX] & 0x3fff, want[i].kind);
		assert_int_equal(regs[EAX] >> 26, 2);
		assert_int_equal(regs[EAX] >> 14 & 0xfff, i == 3 ? 3 : 0); /* 4 IDs share it */
		assert_int_equal(regs[EBX], want[i].ebx);
		assert_int_equal(regs[ECX], want[i].ecx);
		assert_int_equal(regs[EDX], want[i].inclusive);
	}
	for (unsigned i = 4; i < 6; i++) {
		ask("intel-v4", &skylake, 4, i, 1, regs);
		assert_int_equal(regs[EAX] | regs[EBX] | regs[ECX] | regs[EDX], 0);
	}
	ask("intel-v4", &skylake, 4, UINT32_MAX, 1, regs);
	assert_int_equal(regs[EAX], 0);
}

static bool has_byte(const uint32_t regs[4], uint8_t byte)
{
	for (unsigned i = 1; i < 16; i++)
		if ((regs[i / 4] >> i % 4 * 8 & 0xff) == byte)
			return true;
	return false;
}

static void test_leaf_2(void **state)
{
	uint32_t regs[4];

	(void)state;
	ask("intel-v4", &skylake, 2, 0, 1, regs);
	assert_int_equal(regs[EAX] & 0xff, 1);
	/* as the i7-6700: 76036301 00f0b5ff 00000000 00c30000, where B5H is the ITLB of another
	 * stepping */
	assert_true(has_byte(regs, 0xff) && has_byte(regs, 0x03) && has_byte(regs, 0x63) &&
		    has_byte(regs, 0x76) && has_byte(regs, 0xb6) && has_byte(regs, 0xc3));
	assert_false(has_byte(regs, 0xca) || has_byte(regs, 0xb1));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(regs[i] >> 31, 0);
}

/* Core 2 has 8 large pages in 4 ways, Nehalem 7 in one set. */
static void test_leaf_2_by_ways(void **state)
{
	struct core_geometry g = skylake;
	uint32_t regs[4];

	(void)state;
	g.tlbs[CORE_ITLB_2M].ways = 4;
	ask("intel-v4", &g, 2, 0, 1, regs);
	assert_true(has_byte(regs, 0xb1) && !has_byte(regs, 0x76));
	g.tlbs[CORE_ITLB_2M].entries = g.tlbs[CORE_ITLB_2M].ways = 7;
	ask("intel-v4", &g, 2, 0, 1, regs);
	assert_true(has_byte(regs, 0x55) && !has_byte(regs, 0xb1) && !has_byte(regs, 0x76));
}

static void test_amd(void **state)
{
	uint32_t regs[4];

	(void)state;
	ask("amd-v2", &zen2, 0x80000005, 0, 1, regs);
	assert_int_equal(regs[EAX], 0xff40ff40);
	assert_int_equal(regs[EBX], 0xff40ff40);
	assert_int_equal(regs[ECX], 0x20080140);
	assert_int_equal(regs[EDX], 0x20080140);
	ask("amd-v2", &zen2, 0x80000006, 0, 1, regs);
	assert_int_equal(regs[EBX], 0x88006200);
	assert_int_equal(regs[ECX], 0x02006140);
	assert_int_equal(regs[EDX], 32 << 18 | 0x8140); /* 16 MiB, 16 ways */
	ask("amd-v2", &zen2, 0x8000001d, 2, 4, regs);
	assert_int_equal(regs[EAX], 0x143);
	assert_int_equal(regs[EBX], 0x01c0003f);
	assert_int_equal(regs[ECX], 0x3ff);
	assert_int_equal(regs[EDX], 2);
	ask("amd-v2", &zen2, 4, 0, 1, regs);
	assert_int_equal(regs[EAX] | regs[EBX] | regs[ECX] | regs[EDX], 0);
}

/* Without a core the machine's answers pass. */
static void test_machine(void **state)
{
	uint32_t regs[4];

	(void)state;
	ask("intel-v4", NULL, 4, 0, 1, regs);
	assert_int_equal(regs[EBX], 0x12345678);
	ask("intel-v4", NULL, 2, 0, 1, regs);
	assert_int_equal(regs[EBX], 0x12345678);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_leaf_4),         cmocka_unit_test(test_leaf_2),
    cmocka_unit_test(test_leaf_2_by_ways), cmocka_unit_test(test_amd),
    cmocka_unit_test(test_machine),
};

TAP_MAIN("caches by CPUID")
