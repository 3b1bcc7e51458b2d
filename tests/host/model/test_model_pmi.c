/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflow, PMIs and freezes of the model. Expectations: SDM vol. 3, "Performance Monitoring". */
#include "tests/host/model/model_test.h"

/* General counter `index`, set to wrap after `left` instructions, with or without interrupt. */
static void arm(struct model *m, unsigned index, uint64_t left, bool interrupt)
{
	wr(m, IA32_PMC0 + index, -left);
	wr(m, IA32_PERFEVTSEL0 + index, INSTRUCTIONS | USR | OS | EN | (interrupt ? INT : 0));
}

static void arm_fixed0(struct model *m, uint64_t left, unsigned width, bool interrupt)
{
	wr(m, IA32_FIXED_CTR0, -left & ((1ull << width) - 1));
	wr(m, IA32_FIXED_CTR_CTRL, interrupt ? 0xb : 0x3);
	wr(m, IA32_GLOBAL_CTRL, rd(m, IA32_GLOBAL_CTRL) | 1ull << 32);
}

/* The wrap is exactly at the width: the counter passes 0, the status bit is set, the PMI comes if
 * it was asked for. */
static void test_wrap(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < WITH_PMU; p++)
		for (unsigned interrupt = 0; interrupt < 2; interrupt++) {
			reset(&m, with_pmu[p]);
			arm(&m, 1, 1000, interrupt);
			assert_int_equal(model_until_overflow(&m, MODEL_USER, false),
					 interrupt ? 1000 : MODEL_NEVER);
			retire(&m, MODEL_USER, 999);
			assert_int_equal(rdpmc(&m, 1), (p ? 1ull << 48 : 1ull << 40) - 1);
			assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0);
			assert_false(model_take_pmi(&m));
			retire(&m, MODEL_USER, 1);
			assert_int_equal(rdpmc(&m, 1), 0);
			assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 2);
			assert_int_equal(model_take_pmi(&m), interrupt);
			assert_false(model_take_pmi(&m));
			retire(&m, MODEL_USER, 5);
			assert_int_equal(rdpmc(&m, 1), 5);
			assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 2);
			wr(&m, IA32_GLOBAL_OVF_CTRL, 2);
			assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0);
		}
}

static void test_fixed_wrap(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < WITH_PMU; p++) {
		reset(&m, with_pmu[p]);
		arm_fixed0(&m, 70, p ? 48 : 40, true);
		assert_int_equal(model_until_overflow(&m, MODEL_KERNEL, false), 70);
		retire(&m, MODEL_KERNEL, 71);
		assert_int_equal(rdpmc(&m, 1u << 30), 1);
		assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 1ull << 32);
		assert_true(model_take_pmi(&m));
	}
}

/* Several at once: one PMI, every bit. */
static void test_wrap_together(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	for (unsigned i = 0; i < 8; i++)
		arm(&m, i, 40, i != 3);
	arm_fixed0(&m, 40, 48, true);
	retire(&m, MODEL_USER, 39);
	assert_false(model_take_pmi(&m));
	retire(&m, MODEL_USER, 1);
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 0x1000000ff);
	assert_true(model_take_pmi(&m));
	assert_false(model_take_pmi(&m));
}

/* A second overflow before the first is acknowledged is a PMI of its own; the bit was set
 * already. */
static void test_wrap_again(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	arm(&m, 0, 10, true);
	arm(&m, 2, 25, true);
	retire(&m, MODEL_USER, 10);
	assert_true(model_take_pmi(&m));
	wr(&m, IA32_PMC0, -5ull);
	retire(&m, MODEL_USER, 5);
	assert_true(model_take_pmi(&m));
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 1);
	retire(&m, MODEL_USER, 10);
	assert_true(model_take_pmi(&m));
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 5);
}

/* Up to version 3: a PMI clears the enables and DEBUGCTL.LBR, if asked; the handler turns them on
 * again. */
static void test_freeze_legacy(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v2");
	wr(&m, IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI | FREEZE_LBRS_ON_PMI | 1);
	arm(&m, 0, 10, true);
	wr(&m, IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | USR | EN);
	retire(&m, MODEL_USER, 10);
	assert_int_equal(rd(&m, IA32_GLOBAL_CTRL), 3); /* not before the PMI */
	assert_true(model_take_pmi(&m));
	assert_int_equal(rd(&m, IA32_GLOBAL_CTRL), 0);
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), 1);
	assert_int_equal(rd(&m, IA32_DEBUGCTL), FREEZE_PERFMON_ON_PMI | FREEZE_LBRS_ON_PMI);
	retire(&m, MODEL_USER, 100);
	assert_int_equal(rdpmc(&m, 1), 10);
	assert_int_equal(model_until_overflow(&m, MODEL_USER, false), MODEL_NEVER);
	assert_false(model_counts(&m));
	wr(&m, IA32_GLOBAL_CTRL, 3);
	retire(&m, MODEL_USER, 1);
	assert_int_equal(rdpmc(&m, 1), 11);
}

/* From version 4: the status has the freezes, GLOBAL_CTRL keeps its value, clearing the bit lets
 * the counters continue. */
static void test_freeze_streamlined(void **state)
{
	struct model m;

	(void)state;
	reset(&m, "intel-v4");
	wr(&m, IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI | FREEZE_LBRS_ON_PMI | 1);
	arm(&m, 0, 10, true);
	wr(&m, IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | USR | EN);
	retire(&m, MODEL_USER, 10);
	assert_true(model_take_pmi(&m));
	assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), CTR_FRZ | LBR_FRZ | 1);
	assert_int_equal(rd(&m, IA32_GLOBAL_CTRL), 0xff);
	assert_int_equal(rd(&m, IA32_DEBUGCTL), FREEZE_PERFMON_ON_PMI | FREEZE_LBRS_ON_PMI | 1);
	retire(&m, MODEL_USER, 100);
	assert_int_equal(rdpmc(&m, 1), 10);
	assert_false(model_counts(&m));
	wr(&m, IA32_GLOBAL_OVF_CTRL, LBR_FRZ | 1);
	retire(&m, MODEL_USER, 100);
	assert_int_equal(rdpmc(&m, 1), 10);
	wr(&m, IA32_GLOBAL_OVF_CTRL, CTR_FRZ);
	retire(&m, MODEL_USER, 1);
	assert_int_equal(rdpmc(&m, 1), 11);
	wr(&m, IA32_STATUS_SET, CTR_FRZ); /* software may also freeze */
	retire(&m, MODEL_USER, 1);
	assert_int_equal(rdpmc(&m, 1), 11);
}

/* Each freeze is its own choice, and without either the counters run through the PMI. */
static void test_no_freeze(void **state)
{
	struct model m;

	(void)state;
	for (unsigned p = 0; p < WITH_PMU; p++) {
		reset(&m, with_pmu[p]);
		wr(&m, IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI);
		arm(&m, 0, 10, true);
		retire(&m, MODEL_USER, 10);
		assert_true(model_take_pmi(&m));
		retire(&m, MODEL_USER, 7);
		assert_int_equal(rdpmc(&m, 0), 7);
		assert_int_equal(rd(&m, IA32_GLOBAL_STATUS), p >= 2 ? LBR_FRZ | 1 : 1);
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_wrap),          cmocka_unit_test(test_fixed_wrap),
    cmocka_unit_test(test_wrap_together), cmocka_unit_test(test_wrap_again),
    cmocka_unit_test(test_freeze_legacy), cmocka_unit_test(test_freeze_streamlined),
    cmocka_unit_test(test_no_freeze),
};

TAP_MAIN("model: overflow and PMIs")
