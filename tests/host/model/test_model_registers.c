/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's registers: which exist, which of their bits, and the effects of writes and reads.
 * Expectations: SDM vol. 3 and 4. */
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

/* MSR 1A4H keeps what is written where a core has the prefetchers that it switches. */
static void test_prefetchers(void **state)
{
	struct model m;

	(void)state;
	for (unsigned core = 0; core < 2; core++) {
		reset(&m, "intel-v4");
		if (core)
			model_use_core(&m, NULL, 0, MODEL_STOPS_EVENTS);
		wr(&m, MISC_FEATURE_CONTROL, 0xf);
		assert_int_equal(rd(&m, MISC_FEATURE_CONTROL), core ? 0xf : 0);
		assert_int_equal(model_prefetch_off(&m), core ? 0xf : 0);
		assert_int_equal(model_wrmsr(&m, MISC_FEATURE_CONTROL, 0x10), MODEL_GP);
	}
}

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

/* SDM vol. 3, "IA-32 and Intel 64 Processor States Following Power-up, Reset, or INIT". */
static void test_after_reset(void **state)
{
	static const uint32_t zero[] = {IA32_PMC0,
					IA32_PMC0 + 1,
					IA32_PERFEVTSEL0,
					IA32_PERFEVTSEL0 + 1,
					IA32_FIXED_CTR0,
					IA32_FIXED_CTR0 + 2,
					IA32_FIXED_CTR_CTRL,
					IA32_GLOBAL_STATUS,
					IA32_GLOBAL_OVF_CTRL,
					IA32_DEBUGCTL};
	static const struct {
		const char *name;
		uint64_t global_ctrl;
	} personalities[] = {{"intel-v2", 0x3},  {"intel-v3", 0xf},  {"haswell", 0xff},
			     {"intel-v4", 0xff}, {"intel-v5", 0xff}, {"granite-rapids", 0xff},
			     {"gracemont", 0x3f}};
	struct model m;

	(void)state;
	for (unsigned i = 0; i < sizeof(personalities) / sizeof(personalities[0]); i++) {
		memset(&m, 0xff, sizeof(m));
		reset(&m, personalities[i].name);
		assert_int_equal(rd(&m, IA32_GLOBAL_CTRL), personalities[i].global_ctrl);
		for (size_t j = 0; j < sizeof(zero) / sizeof(zero[0]); j++)
			assert_int_equal(rd(&m, zero[j]), 0);
		assert_false(model_counts(&m));
		assert_false(model_take_pmi(&m));
	}
	assert_int_equal(rd(&m, IA32_INUSE), 0);
	assert_int_equal(rd(&m, IA32_STATUS_SET), 0);
}

/* A legacy write takes 32 bits and extends their sign to the counter's width; bits 63:32 do not
 * matter. */
static void test_sign_extension(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v2");
	wr(&m, IA32_PMC0, 0x7fffffff);
	assert_int_equal(rd(&m, IA32_PMC0), 0x7fffffff);
	wr(&m, IA32_PMC0, 0x80000000);
	assert_int_equal(rd(&m, IA32_PMC0), 0xff80000000);
	wr(&m, IA32_PMC0 + 1, 0x1234567800000001);
	assert_int_equal(rd(&m, IA32_PMC0 + 1), 1);
	reset(&m, "intel-v4");
	wr(&m, IA32_PMC0 + 7, 0x12345678fffffff0);
	assert_int_equal(rd(&m, IA32_PMC0 + 7), 0xfffffffffff0);
}

/* A full-width write and a legacy one reach the same counter; both aliases read all of it. */
static void test_full_width(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	assert_int_equal(rd(&m, IA32_PERF_CAPABILITY) & 1ull << 13, 1ull << 13);
	for (unsigned i = 0; i < 8; i++)
		wr(&m, IA32_A_PMC0 + i, 0x7fff00000000 + i);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(rd(&m, IA32_PMC0 + i), 0x7fff00000000 + i);
		assert_int_equal(rd(&m, IA32_A_PMC0 + i), 0x7fff00000000 + i);
		assert_int_equal(rdpmc(&m, i), 0x7fff00000000 + i);
	}
	wr_faults(&m, IA32_A_PMC0, 1ull << 48);
	wr_faults(&m, IA32_A_PMC0, UINT64_MAX);
}

static void test_status_set_and_reset(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	wr(&m, IA32_STATUS_SET, 0x2000000c1);
	wr(&m, IA32_STATUS_SET, 1ull << 33 | 1ull << 62);
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0x40000002000000c1);
	assert_false(model_take_pmi(&m));
	wr(&m, IA32_GLOBAL_OVF_CTRL, 0x200000040);
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0x4000000000000081);
	wr(&m, IA32_GLOBAL_OVF_CTRL, 0);
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0x4000000000000081);
}

/* In use: an event select that is not 0, an enabled fixed counter, an interrupt asked for: each
 * alone. */
static void test_in_use(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	wr(&m, IA32_PERFEVTSEL0 + 3, 0xff00 | EN | USR); /* unit mask without event */
	assert_int_equal(rd(&m, IA32_INUSE), 0);
	wr(&m, IA32_PERFEVTSEL0 + 5, 0x3c);
	assert_int_equal(rd(&m, IA32_INUSE), 0x20);
	wr(&m, IA32_FIXED_CTR_CTRL, 0x210);
	assert_int_equal(rd(&m, IA32_INUSE), 0x600000020);
	wr(&m, IA32_FIXED_CTR_CTRL, 0x008);
	assert_int_equal(rd(&m, IA32_INUSE), 1ull << 63 | 0x20);
	wr(&m, IA32_FIXED_CTR_CTRL, 0);
	wr(&m, IA32_PERFEVTSEL0, INT);
	assert_int_equal(rd(&m, IA32_INUSE), 1ull << 63 | 0x20);
}

/* Bit 7 says whether there is a PMU, 11 and 12 that BTS and PEBS are not there; writes do not
 * change them. */
static void test_misc_enable(void **state)
{
	static const struct {
		const char *name;
		uint64_t read_only;
	} personalities[] = {{"none", 0x1800},         {"intel-v1", 0x1880}, {"intel-v2", 0x80},
			     {"intel-v3", 0x80},       {"intel-v4", 0x80},   {"intel-v5", 0x80},
			     {"granite-rapids", 0x80}, {"gracemont", 0x80},  {"sandy-bridge", 0x80},
			     {"haswell", 0x80},        {"ice-lake", 0x80}};
	struct model m;

	(void)state;
	assert_names_all(personalities, &vendor_intel);
	for (unsigned i = 0; i < sizeof(personalities) / sizeof(personalities[0]); i++) {
		reset(&m, personalities[i].name);
		assert_int_equal(rd(&m, IA32_MISC_ENABLE), personalities[i].read_only | 1);
		wr(&m, IA32_MISC_ENABLE, rd(&m, IA32_MISC_ENABLE));
		wr(&m, IA32_MISC_ENABLE, 0x40000);
		assert_int_equal(rd(&m, IA32_MISC_ENABLE), personalities[i].read_only | 0x40000);
		wr(&m, IA32_MISC_ENABLE, 0x1880);
		assert_int_equal(rd(&m, IA32_MISC_ENABLE), personalities[i].read_only);
		wr_faults(&m, IA32_MISC_ENABLE, 1ull << 63);
	}
}

/* The personality without PMU keeps the debug register, without what belongs to PMIs. */
static void test_debugctl_without_pmu(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "none");
	wr(&m, IA32_DEBUGCTL, 3);
	assert_int_equal(rd(&m, IA32_DEBUGCTL), 3);
	wr_faults(&m, IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI);
	wr_faults(&m, IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI);
}

/* The debug store's address is any canonical one. */
static void test_ds_area(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v5");
	wr(&m, IA32_DS_AREA, 0xffff888000001000);
	assert_int_equal(rd(&m, IA32_DS_AREA), 0xffff888000001000);
	wr(&m, IA32_DS_AREA, 0x00007ffffffff000);
	wr_faults(&m, IA32_DS_AREA, 0x0000800000000000);
	wr_faults(&m, IA32_DS_AREA, 0xfffe800000000000);
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
    cmocka_unit_test(test_every_bit),
    cmocka_unit_test(test_read_back),
    cmocka_unit_test(test_absent),
    cmocka_unit_test(test_not_pmu),
    cmocka_unit_test(test_each),
    cmocka_unit_test(test_after_reset),
    cmocka_unit_test(test_sign_extension),
    cmocka_unit_test(test_full_width),
    cmocka_unit_test(test_status_set_and_reset),
    cmocka_unit_test(test_in_use),
    cmocka_unit_test(test_misc_enable),
    cmocka_unit_test(test_prefetchers),
    cmocka_unit_test(test_ds_area),
    cmocka_unit_test(test_debugctl_without_pmu),
};

TAP_MAIN("model: registers")
