/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixture of tests that need no PMU: a fresh machine for each, and nothing left behind. */
#ifndef TESTS_HOST_NO_PMU_H
#define TESTS_HOST_NO_PMU_H

#include "tests/host/fake/fake_machine.h"

static int setup(void **state)
{
	(void)state;
	fake_boot("none");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_shutdown();
	return fake_open_objects != 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

#endif
