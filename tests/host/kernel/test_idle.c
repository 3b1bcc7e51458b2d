/* SPDX-License-Identifier: BSD-2-Clause */
/* An interrupt that is taken before the idle processor's HLT or MWAIT ends the wait; others change
 * nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arch/x86/cpu/idle.h"

/* As the symbols of halt.asm. */
const char idle_halt_at[1], idle_halt_end[1], idle_mwait_at[3], idle_mwait_end[1];

static uint64_t resumed_at(const char *interrupted)
{
	struct frame frame = {.rip = (uint64_t)interrupted};

	idle_skip_wait(&frame);
	return frame.rip;
}

static void waits_are_skipped(void **state)
{
	(void)state;
	assert_int_equal(resumed_at(idle_halt_at), (uint64_t)idle_halt_end);
	assert_int_equal(resumed_at(idle_mwait_at), (uint64_t)idle_mwait_end);
}

static void others_continue(void **state)
{
	static const char code[2];

	(void)state;
	assert_int_equal(resumed_at(code), (uint64_t)code);
	assert_int_equal(resumed_at(idle_halt_end), (uint64_t)idle_halt_end);
	assert_int_equal(resumed_at(idle_mwait_end), (uint64_t)idle_mwait_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(waits_are_skipped),
	    cmocka_unit_test(others_continue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
