/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch predictor of exact counting: what docs/emulated-pmu.md says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/visor/model/insn/predict.h"

static const struct insn jcc = {INSN_JCC, 2}, jmp = {INSN_JMP, 5}, call = {INSN_CALL, 5},
			 ret = {INSN_RET, 1};
static const struct insn jmp_indirect = {INSN_JMP_INDIRECT, 2},
			 call_indirect = {INSN_CALL_INDIRECT, 3}, far = {INSN_FAR, 2};

/* A loop of n rounds: two misses until its branch is known as taken, one where it falls through;
 * the next time only that one. */
static void test_loop(void **state)
{
	struct predictor p = {0};

	(void)state;
	for (unsigned run = 0; run < 3; run++) {
		unsigned missed = 0;

		for (unsigned i = 0; i < 100; i++)
			missed += predict_branch(&p, jcc, 0x401010, i < 99 ? 0x401000 : 0x401012);
		assert_int_equal(missed, run ? 1 : 3);
	}
}

/* Two bits: one branch the other way does not change the mind of a counter that was sure. */
static void test_hysteresis(void **state)
{
	struct predictor p = {0};

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		predict_branch(&p, jcc, 0x1000, 0x2000);
	assert_true(predict_branch(&p, jcc, 0x1000, 0x1002));
	assert_false(predict_branch(&p, jcc, 0x1000, 0x2000));
	assert_true(predict_branch(&p, jcc, 0x1000, 0x1002));
	assert_true(predict_branch(&p, jcc, 0x1000, 0x1002));
	assert_false(predict_branch(&p, jcc, 0x1000, 0x1002));
}

/* A branch never taken is right from the start, and branches side by side do not disturb each
 * other. */
static void test_neighbours(void **state)
{
	struct predictor p = {0};

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		for (uint64_t from = 0x400000; from < 0x400000 + 1024; from += 2) {
			bool taken = from & 2;
			bool missed = predict_branch(&p, jcc, from, taken ? 0x500000 : from + 2);

			assert_int_equal(missed, taken && i < 2);
		}
}

static void test_indirect(void **state)
{
	struct predictor p = {0};

	(void)state;
	assert_true(predict_branch(&p, jmp_indirect, 0x1000, 0x7000));
	assert_false(predict_branch(&p, jmp_indirect, 0x1000, 0x7000));
	assert_true(predict_branch(&p, jmp_indirect, 0x1000, 0x8000));
	assert_false(predict_branch(&p, jmp_indirect, 0x1000, 0x8000));
	assert_true(predict_branch(&p, call_indirect, 0x1004, 0x8000));
	assert_false(predict_branch(&p, ret, 0x8010, 0x1007));
}

/* Returns are right as deep as the stack is, and wrong beyond. */
static void test_returns(void **state)
{
	struct predictor p = {0};

	(void)state;
	for (unsigned depth = 1; depth <= 2 * PREDICT_RETURNS; depth++) {
		unsigned missed = 0;

		for (unsigned i = 0; i < depth; i++)
			assert_false(predict_branch(&p, call, 0x1000 + 16 * i, 0x9000));
		for (unsigned i = depth; i-- > 0;)
			missed += predict_branch(&p, ret, 0x9000, 0x1000 + 16 * i + 5);
		assert_int_equal(missed, depth > PREDICT_RETURNS ? depth - PREDICT_RETURNS : 0);
		memset(&p, 0, sizeof(p));
	}
}

static void test_always_right(void **state)
{
	struct predictor p = {0};

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		assert_false(predict_branch(&p, jmp, i * 7, i * 1000));
		assert_false(predict_branch(&p, far, i * 7, i * 1000));
		assert_false(predict_branch(&p, (struct insn){INSN_SYSCALL, 2}, i * 7, i * 1000));
	}
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_loop),       cmocka_unit_test(test_hysteresis),
    cmocka_unit_test(test_neighbours), cmocka_unit_test(test_indirect),
    cmocka_unit_test(test_returns),    cmocka_unit_test(test_always_right),
};

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("predict", tests, NULL, NULL);
}
