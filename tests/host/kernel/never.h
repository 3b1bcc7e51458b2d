/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the tested source names and the test does not reach. */
#ifndef TESTS_HOST_KERNEL_NEVER_H
#define TESTS_HOST_KERNEL_NEVER_H

#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* NEVER(type, name, parameters...): ends the test when it is called. */
#define NEVER(type, name, ...) \
	type name(__VA_ARGS__) \
	{                      \
		abort();       \
	}

#endif
