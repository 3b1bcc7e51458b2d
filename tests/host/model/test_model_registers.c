/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's registers: which exist, and which of their bits. Expectations: SDM vol. 3 and 4. */
#include <string.h>

#include "tests/host/model/model_test.h"
#include "tests/host/names.h"

/* The bits that may be written as 1 by the manual; 0: every write faults. */
struct expectation {
	uint32_t msr;
	uint64_t writable;
};

/* Version 1: general counters of 40 bits and nothing global; DEBUGCTL without freezes. */
static const struct expectation v1[] = {
    {IA32_PMC0, UINT64_MAX},        {IA32_PMC0 + 1, UINT64_MAX},
    {IA32_PERFEVTSEL0, 0xffdfffff}, {IA32_PERFEVTSEL0 + 1, 0xffdfffff},
    {IA32_DEBUGCTL, 0x3},
};

/* Version 2: no AnyThread (bit 21 and the third bit of each fixed field), no uncore bit 61; 2 + 3
 * counters of 40 bits. */
static const struct expectation v2[] = {
    {IA32_PMC0, UINT64_MAX},
    {IA32_PMC0 + 1, UINT64_MAX},
    {IA32_PERFEVTSEL0, 0xffdfffff},
    {IA32_PERFEVTSEL0 + 1, 0xffdfffff},
    {IA32_FIXED_CTR0, 0xffffffffff},
    {IA32_FIXED_CTR0 + 1, 0xffffffffff},
    {IA32_FIXED_CTR0 + 2, 0xffffffffff},
    {IA32_FIXED_CTR_CTRL, 0xbbb},
    {IA32_GLOBAL_STATUS, 0},
    {IA32_GLOBAL_CTRL, 0x700000003},
    {IA32_GLOBAL_OVF_CTRL, 0xc000000700000003},
    {IA32_DEBUGCTL, 0x1fc3},
    {IA32_PERF_CAPABILITY, 0},
    {IA32_PEBS_ENABLE, 1},
    {LBR_SELECT + 1, 0x3},
};

/* Version 3: AnyThread, the uncore's status bit; 4 + 3 counters of 48 bits. */
static const struct expectation v3[] = {
    {IA32_PMC0, UINT64_MAX},
    {IA32_PMC0 + 3, UINT64_MAX},
    {IA32_PERFEVTSEL0, 0xffffffff},
    {IA32_PERFEVTSEL0 + 3, 0xffffffff},
    {IA32_FIXED_CTR0, 0xffffffffffff},
    {IA32_FIXED_CTR0 + 2, 0xffffffffffff},
    {IA32_FIXED_CTR_CTRL, 0xfff},
    {IA32_GLOBAL_STATUS, 0},
    {IA32_GLOBAL_CTRL, 0x70000000f},
    {IA32_GLOBAL_OVF_CTRL, 0xe00000070000000f},
    {IA32_DEBUGCTL, 0x1fc3},
    {IA32_PERF_CAPABILITY, 0},
    {LBR_SELECT, 0x1ff},
    {LBR_SELECT + 1, 0xf},
    {IA32_PEBS_ENABLE, 0xf0000000f},
    {MSR_PEBS_LD_LAT, 0xffff},
};

/* Sandy Bridge: version 3 with 8 + 3 counters that can be written in full, off-core responses. */
#define BRIDGE(lbr_select)                                                                     \
	{                                                                                      \
		{IA32_PMC0 + 7, UINT64_MAX}, {IA32_A_PMC0, 0xffffffffffff},                    \
		    {IA32_PERFEVTSEL0 + 7, 0xffffffff}, {IA32_FIXED_CTR0 + 2, 0xffffffffffff}, \
		    {IA32_FIXED_CTR_CTRL, 0xfff}, {IA32_GLOBAL_STATUS, 0},                     \
		    {IA32_GLOBAL_CTRL, 0x7000000ff}, {IA32_DEBUGCTL, 0x1fc3},                  \
		    {IA32_GLOBAL_OVF_CTRL, 0xe0000007000000ff}, {IA32_PERF_CAPABILITY, 0},     \
		    {LBR_SELECT, lbr_select}, {LBR_SELECT + 1, 0xf},                           \
		    {MSR_OFFCORE_RSP_0, 0x3fffff8fff}, {IA32_PEBS_ENABLE, 0xf0000000f},        \
		    {MSR_PEBS_LD_LAT, 0xffff},                                                 \
	}
static const struct expectation snb[] = BRIDGE(0x1ff);
static const struct expectation hsw[] = BRIDGE(0x3ff); /* and stacks of calls */

/* Version 4: AnyThread, no pin control (bit 19: reserved since Sandy
 * Bridge), freeze bits; 8 + 3 counters of 48 bits. */
static const struct expectation v4[] = {
    {IA32_PMC0, UINT64_MAX},
    {IA32_PMC0 + 7, UINT64_MAX},
    {IA32_A_PMC0, 0xffffffffffff},
    {IA32_A_PMC0 + 7, 0xffffffffffff},
    {IA32_PERFEVTSEL0, 0xfff7ffff},
    {IA32_PERFEVTSEL0 + 7, 0xfff7ffff},
    {IA32_FIXED_CTR0, 0xffffffffffff},
    {IA32_FIXED_CTR0 + 2, 0xffffffffffff},
    {IA32_FIXED_CTR_CTRL, 0xfff},
    {IA32_GLOBAL_STATUS, 0},
    {IA32_GLOBAL_CTRL, 0x7000000ff},
    {IA32_GLOBAL_OVF_CTRL, 0xfc800007000000ff},
    {IA32_STATUS_SET, 0x7c800007000000ff},
    {IA32_INUSE, 0},
    {IA32_PERF_CAPABILITY, 0},
    {IA32_DEBUGCTL, 0x1fc3},
    {MSR_PLATFORM_INFO, 0},
    {LBR_SELECT, 0x3ff},
    {LBR_SELECT + 1, 0x1f},
    {LBR_INFO0, 0xe00000000000ffff},
    {LBR_INFO0 + 31, 0xe00000000000ffff},
    {MSR_OFFCORE_RSP_0, 0x3fffff8fff},
    {MSR_OFFCORE_RSP_0 + 1, 0x3fffff8fff},
    {IA32_PEBS_ENABLE, 0xf0000000f},
    {MSR_PEBS_LD_LAT, 0xffff},
    {MSR_PEBS_FRONTEND, 0x7fff17},
};

/* Version 5 of Sapphire Rapids: AnyThread is reserved again; a fourth fixed counter, PEBS,
 * metrics. */
static const struct expectation v5[] = {
    {IA32_PMC0, UINT64_MAX},
    {IA32_PMC0 + 7, UINT64_MAX},
    {IA32_A_PMC0, 0xffffffffffff},
    {IA32_PERFEVTSEL0, 0x4ffd7ffff},
    {IA32_PERFEVTSEL0 + 7, 0x4ffd7ffff},
    {IA32_FIXED_CTR0 + 3, 0xffffffffffff},
    {IA32_FIXED_CTR_CTRL, 0x11110000bbbb},
    {IA32_GLOBAL_STATUS, 0},
    {IA32_GLOBAL_CTRL, 0x1000f000000ff},
    {IA32_GLOBAL_OVF_CTRL, 0xfc81000f000000ff},
    {IA32_STATUS_SET, 0x7c81000f000000ff},
    {MSR_OFFCORE_RSP_0, 0x3fffffffff},
    {MSR_PERF_METRICS, UINT64_MAX},
    {IA32_PEBS_ENABLE, 0xf000000ff},
    {MSR_PEBS_DATA_CFG, 0xff00000f},
    {MSR_PEBS_LD_LAT, 0xffff},
    {MSR_PEBS_FRONTEND, 0x7fff1f},
    {IA32_INUSE, 0},
    {IA32_PERF_CAPABILITY, 0},
    {IA32_ARCH_CAPABILITIES, 0},
    {0x14ce, 0x7f000f}, /* IA32_LBR_CTL; DEBUGCTL: test_model_lbr.c */
    {0x1200, 0xff0000000000ffff},
    {0x121f, 0xff0000000000ffff},
};

/* As v5, with 6 general and 3 fixed counters, without metrics and front-end events. */
static const struct expectation grt[] = {
    {IA32_PMC0, UINT64_MAX},
    {IA32_PMC0 + 5, UINT64_MAX},
    {IA32_A_PMC0, 0xffffffffffff},
    {IA32_PERFEVTSEL0, 0x4ffd7ffff},
    {IA32_PERFEVTSEL0 + 5, 0x4ffd7ffff},
    {IA32_FIXED_CTR0 + 2, 0xffffffffffff},
    {IA32_FIXED_CTR_CTRL, 0x11100000bbb},
    {IA32_GLOBAL_STATUS, 0},
    {IA32_GLOBAL_CTRL, 0x70000003f},
    {IA32_GLOBAL_OVF_CTRL, 0xfc8000070000003f},
    {IA32_STATUS_SET, 0x7c8000070000003f},
    {MSR_OFFCORE_RSP_0, 0x3fffffffff},
    {IA32_PEBS_ENABLE, 0x70000003f},
    {MSR_PEBS_DATA_CFG, 0xff00000f},
    {MSR_PEBS_LD_LAT, 0xffff},
    {IA32_INUSE, 0},
    {IA32_PERF_CAPABILITY, 0},
    {0x14ce, 0x7f000f}, /* IA32_LBR_CTL; DEBUGCTL: test_model_lbr.c */
    {0x1200, 0xff0000000000ffff},
    {0x121f, 0xff0000000000ffff},
};

/* Ice Lake: as v5, with Skylake's branch records. */
static const struct expectation icl[] = {
    {IA32_PMC0 + 7, UINT64_MAX},
    {IA32_PERFEVTSEL0 + 7, 0x4ffd7ffff},
    {IA32_FIXED_CTR0 + 3, 0xffffffffffff},
    {IA32_FIXED_CTR_CTRL, 0x11110000bbbb},
    {IA32_GLOBAL_CTRL, 0x1000f000000ff},
    {IA32_GLOBAL_OVF_CTRL, 0xfc81000f000000ff},
    {MSR_OFFCORE_RSP_0, 0x3fffffffff},
    {MSR_PERF_METRICS, UINT64_MAX},
    {IA32_PEBS_ENABLE, 0xf000000ff},
    {MSR_PEBS_DATA_CFG, 0xff00000f},
    {MSR_PEBS_FRONTEND, 0x7fff1f},
    {IA32_DEBUGCTL, 0x1fc3},
    {LBR_SELECT, 0x3ff},
    {LBR_SELECT + 1, 0x1f},
    {LBR_INFO0 + 31, 0xe00000000000ffff},
};

static const struct {
	const char *name;
	const struct expectation *rows;
	size_t count;
} versions[] = {
    {"intel-v1", v1, sizeof(v1) / sizeof(v1[0])},
    {"intel-v2", v2, sizeof(v2) / sizeof(v2[0])},
    {"intel-v3", v3, sizeof(v3) / sizeof(v3[0])},
    {"intel-v4", v4, sizeof(v4) / sizeof(v4[0])},
    {"intel-v5", v5, sizeof(v5) / sizeof(v5[0])},
    {"granite-rapids", v5, sizeof(v5) / sizeof(v5[0])},
    {"gracemont", grt, sizeof(grt) / sizeof(grt[0])},
    {"sandy-bridge", snb, sizeof(snb) / sizeof(snb[0])},
    {"haswell", hsw, sizeof(hsw) / sizeof(hsw[0])},
    {"ice-lake", icl, sizeof(icl) / sizeof(icl[0])},
};
#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

static void check_bits(const char *name, const struct expectation *rows, size_t count)
{
	struct model m;

	for (size_t i = 0; i < count; i++) {
		for (unsigned bit = 0; bit < 64; bit++) {
			reset(&m, name);
			if (rows[i].writable >> bit & 1)
				wr(&m, rows[i].msr, 1ull << bit);
			else
				wr_faults(&m, rows[i].msr, 1ull << bit);
		}
		reset(&m, name);
		rd(&m, rows[i].msr);
		if (rows[i].writable)
			wr(&m, rows[i].msr, rows[i].writable);
		else
			wr_faults(&m, rows[i].msr, 0);
	}
}

static void test_every_bit(void **state)
{
	(void)state;
	assert_names_all(versions, &vendor_intel); /* the hybrid: test_model_hybrid.c */
	for (size_t i = 0; i < VERSIONS; i++)
		check_bits(versions[i].name, versions[i].rows, versions[i].count);
}

/* Each register keeps what was written and shares nothing with the others. */
static void check_read_back(const char *name, const struct expectation *rows, size_t count)
{
	uint64_t seed = 11, written[32];
	struct model m;

	reset(&m, name);
	for (unsigned round = 0; round < 100; round++) {
		for (size_t i = 0; i < count; i++) {
			written[i] = random64(&seed) & rows[i].writable;
			if (rows[i].writable != UINT64_MAX && rows[i].writable &&
			    rows[i].msr != IA32_GLOBAL_OVF_CTRL && rows[i].msr != IA32_STATUS_SET &&
			    (rows[i].msr & ~7u) != (IA32_A_PMC0 & ~7u) &&
			    rows[i].msr != IA32_A_PMC0 + 7)
				wr(&m, rows[i].msr, written[i]);
			else
				written[i] = rd(&m, rows[i].msr);
		}
		for (size_t i = 0; i < count; i++)
			if (rows[i].msr != IA32_INUSE)
				assert_int_equal(rd(&m, rows[i].msr), written[i]);
	}
}

static void test_read_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < VERSIONS; i++)
		check_read_back(versions[i].name, versions[i].rows, versions[i].count);
}

static void absent(const char *name, uint32_t first, uint32_t last)
{
	uint64_t value = 0x5a5a;
	struct model m;

	reset(&m, name);
	for (uint32_t msr = first; msr <= last; msr++) {
		assert_int_equal(model_rdmsr(&m, msr, &value), MODEL_GP);
		assert_int_equal(value, 0x5a5a);
		wr_faults(&m, msr, 0);
	}
}

static void test_absent(void **state)
{
	(void)state;
	absent("intel-v1", IA32_FIXED_CTR0, IA32_FIXED_CTR0 + 7);
	absent("intel-v1", IA32_FIXED_CTR_CTRL, IA32_INUSE);
	absent("intel-v1", IA32_PERF_CAPABILITY, IA32_PERF_CAPABILITY);
	absent("intel-v3", IA32_PMC0 + 4, IA32_PMC0 + 7);
	absent("intel-v3", IA32_STATUS_SET, IA32_INUSE);
	absent("intel-v3", IA32_A_PMC0, IA32_A_PMC0 + 7);
	absent("intel-v4", IA32_ARCH_CAPABILITIES, IA32_ARCH_CAPABILITIES);
	absent("intel-v5", IA32_FIXED_CTR0 + 4, IA32_FIXED_CTR0 + 7);
	absent("intel-v2", IA32_PMC0 + 2, IA32_PMC0 + 7);
	absent("intel-v2", IA32_PERFEVTSEL0 + 2, IA32_PERFEVTSEL0 + 7);
	absent("intel-v2", IA32_FIXED_CTR0 + 3, IA32_FIXED_CTR0 + 7);
	absent("intel-v2", IA32_STATUS_SET, IA32_INUSE);
	absent("intel-v1", IA32_PERF_CAPABILITY, IA32_PERF_CAPABILITY);
	absent("intel-v1", IA32_PEBS_ENABLE, MSR_PEBS_DATA_CFG);
	absent("intel-v1", MSR_PEBS_LD_LAT, MSR_PEBS_FRONTEND);
	absent("intel-v1", IA32_DS_AREA, IA32_DS_AREA);
	absent("intel-v1", LBR_CORE_FROM0, LBR_CORE_FROM0 + 7);
	absent("intel-v2", MSR_PEBS_LD_LAT, MSR_PEBS_FRONTEND);
	absent("intel-v2", LBR_CORE_FROM0 + 4, LBR_CORE_FROM0 + 7);
	absent("intel-v2", LBR_CORE_TO0 + 4, LBR_CORE_TO0 + 7);
	absent("intel-v2", LBR_SELECT, LBR_SELECT);
	absent("intel-v3", LBR_CORE_FROM0, LBR_CORE_FROM0 + 7);
	absent("intel-v3", MSR_PEBS_FRONTEND, MSR_PEBS_FRONTEND);
	absent("none", IA32_PEBS_ENABLE, MSR_PEBS_DATA_CFG);
	absent("none", IA32_DS_AREA, IA32_DS_AREA);
	absent("intel-v2", IA32_A_PMC0, IA32_A_PMC0 + 7);
	absent("intel-v2", MISC_FEATURE_CONTROL, MISC_FEATURE_CONTROL);
	absent("intel-v2", MSR_OFFCORE_RSP_0, MSR_OFFCORE_RSP_0 + 1);
	absent("intel-v4", IA32_FIXED_CTR0 + 3, IA32_FIXED_CTR0 + 7);
	absent("intel-v1", LBR_SELECT, LBR_SELECT + 1);
	absent("intel-v2", LBR_FROM0, LBR_FROM0 + 31);
	absent("intel-v3", LBR_FROM0 + 16, LBR_FROM0 + 31);
	absent("intel-v3", LBR_INFO0, LBR_INFO0 + 31);
	absent("sandy-bridge", LBR_FROM0 + 16, LBR_FROM0 + 31);
	absent("haswell", LBR_FROM0 + 16, LBR_FROM0 + 31);
	absent("haswell", LBR_INFO0, LBR_INFO0 + 31);
	absent("haswell", IA32_STATUS_SET, IA32_INUSE);
	absent("none", LBR_FROM0, LBR_FROM0 + 31);
	absent("none", IA32_PMC0, IA32_PMC0 + 7);
	absent("none", IA32_PERFEVTSEL0, IA32_PERFEVTSEL0 + 7);
	absent("none", IA32_FIXED_CTR0, IA32_FIXED_CTR0 + 7);
	absent("none", IA32_PERF_CAPABILITY, IA32_PERF_CAPABILITY);
	absent("none", IA32_FIXED_CTR_CTRL, IA32_INUSE);
	absent("none", IA32_A_PMC0, IA32_A_PMC0 + 7);
	for (unsigned i = 0; personality_at(i); i++) {
		const char *name = personality_name(personality_at(i));

		if (personality_at(i)->vendor == &vendor_amd)
			continue;
		if (personality_at(i)->version < 5)
			absent(name, MSR_PEBS_DATA_CFG, MSR_PEBS_DATA_CFG);
		if (personality_at(i)->version < 5 || !strcmp(name, "gracemont"))
			absent(name, MSR_PERF_METRICS, MSR_PERF_METRICS);
		absent(name, 0xc0010000, 0xc0010007); /* AMD's PMU */
		absent(name, 0xc0010200, 0xc001020b);
		absent(name, 0xc0000300, 0xc0000302);
	}
}

/* Registers that have nothing to do with a PMU stay the caller's. */
static void test_not_pmu(void **state)
{
	static const uint32_t others[] = {0x10,  0x1b,  0x8b,  0x3a,  0x174,      0x200,
					  0x277, 0x2ff, 0x6e0, 0x834, 0xc0000080, 0xc0000101};
	uint64_t value;
	struct model m;

	(void)state;
	for (unsigned i = 0; personality_at(i); i++) {
		model_reset(&m, personality_at(i));
		for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
			assert_int_equal(model_rdmsr(&m, others[j], &value), MODEL_NOT_PMU);
			assert_int_equal(model_wrmsr(&m, others[j], 0), MODEL_NOT_PMU);
		}
	}
}

#define SEEN 0x20000u /* MSRs from 0 on, and as many from 0xc0000000 on */

static void see(uint32_t msr, void *seen)
{
	((uint8_t *)seen)[(msr >> 30 ? SEEN : 0) + msr % SEEN] = 1;
}

/* The visor intercepts exactly the registers that the model answers for. */
static void test_each(void **state)
{
	static uint8_t seen[2 * SEEN];
	struct model m;
	uint64_t value;

	(void)state;
	reset(&m, "intel-v4");
	model_each_msr(see, seen);
	for (uint32_t i = 0; i < 2 * SEEN; i++) {
		uint32_t msr = i < SEEN ? i : 0xc0000000u + i - SEEN;

		assert_int_equal(model_rdmsr(&m, msr, &value) != MODEL_NOT_PMU, seen[i]);
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_bit), cmocka_unit_test(test_read_back),
    cmocka_unit_test(test_absent),    cmocka_unit_test(test_not_pmu),
    cmocka_unit_test(test_each),
};

TAP_MAIN("model: registers")
