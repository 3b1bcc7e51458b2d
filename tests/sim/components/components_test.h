/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the tests of components that come with the simulator. */
#ifndef TESTS_SIM_COMPONENTS_COMPONENTS_TEST_H
#define TESTS_SIM_COMPONENTS_COMPONENTS_TEST_H

#include "tests/sim/core_test.h"

#include <unistd.h>

#include "emulator/sim/component/load.h"

/* Set-up of a group: the components are in BUILD/components, the test in BUILD/host/VARIANT. */
static inline int find_components(void **state)
{
	static char directory[600];
	char program[512];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	(void)state;
	assert_true(length > 0);
	program[length] = 0;
	*strrchr(program, '/') = 0;
	snprintf(directory, sizeof(directory), "%s/../../components", program);
	component_search(directory);
	return 0;
}

#endif
