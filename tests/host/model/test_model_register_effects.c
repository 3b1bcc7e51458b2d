/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's registers: the effects of writes and reads. Expectations: SDM vol. 3 and 4. */
#include <string.h>

#include "tests/host/model/model_test.h"
#include "tests/host/names.h"

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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_prefetchers),
    cmocka_unit_test(test_after_reset),
    cmocka_unit_test(test_sign_extension),
    cmocka_unit_test(test_full_width),
    cmocka_unit_test(test_status_set_and_reset),
    cmocka_unit_test(test_in_use),
    cmocka_unit_test(test_misc_enable),
    cmocka_unit_test(test_debugctl_without_pmu),
    cmocka_unit_test(test_ds_area),
};

TAP_MAIN("model: effects of registers")
