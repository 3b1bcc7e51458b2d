/* SPDX-License-Identifier: BSD-2-Clause */
/* The Test Anything Protocol for programs of the image: they must pass on Linux too. */
#ifndef TESTS_GUEST_TAP_H
#define TESTS_GUEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* One test; returns its condition. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool condition, const char *format, ...)
{
	va_list arguments;

	tap_count++;
	tap_failed += !condition;
	printf("%sok %d - ", condition ? "" : "not ", tap_count);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	fflush(stdout);
	return condition;
}

/* Expects a value; says what came instead. */
static inline bool is(long got, long wanted, const char *name)
{
	bool same = got == wanted;

	ok(same, "%s", name);
	if (!same)
		printf("# got %ld, wanted %ld\n", got, wanted);
	return same;
}

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

/* The plan, and the exit status of main(). */
static inline int tap_end(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
