/* SPDX-License-Identifier: BSD-2-Clause */
/* The Test Anything Protocol for programs of the image, which must pass on Linux as well. */
#ifndef TESTS_GUEST_TAP_H
#define TESTS_GUEST_TAP_H

#include <stdio.h>

#define TAP_VPRINT(format, list) vprintf(format, list)
#define TAP_FLUSH()              fflush(stdout)
#define TAP_VALUE                "%ld"
#define TAP_STATE                static
#include "tests/tap.h"

/* One test that cannot be made here. */
static inline void skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, name, why);
}

/* For a program that has nothing to test here: main returns it. */
static inline int tap_skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	return 0;
}

#endif
