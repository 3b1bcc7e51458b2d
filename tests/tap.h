/* SPDX-License-Identifier: BSD-2-Clause */
/* The Test Anything Protocol, on whatever there is to write to: who includes this says before
 *   TAP_VPRINT(format, list)  how text is written,
 *   TAP_FLUSH()               what follows a test's line,
 *   TAP_VALUE                 how a value is,
 *   TAP_STATE                 `static` for a program of one file, else `extern`: one of its files
 *                             defines tap_count and tap_failed. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>

TAP_STATE int tap_count, tap_failed;

__attribute__((format(printf, 1, 2))) static inline void tap_print(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	TAP_VPRINT(format, arguments);
	va_end(arguments);
}

/* One test; returns its condition. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool condition, const char *format, ...)
{
	va_list arguments;

	tap_count++;
	tap_failed += !condition;
	tap_print("%sok %u - ", condition ? "" : "not ", (unsigned)tap_count);
	va_start(arguments, format);
	TAP_VPRINT(format, arguments);
	va_end(arguments);
	tap_print("\n");
	TAP_FLUSH();
	return condition;
}

/* Expects a value; says what came instead. */
static inline bool is(long got, long wanted, const char *name)
{
	bool same = ok(got == wanted, "%s", name);

	if (!same)
		tap_print("# got " TAP_VALUE ", wanted " TAP_VALUE "\n", got, wanted);
	return same;
}

/* The plan; returns the exit status of main(). */
static inline int tap_end(void)
{
	tap_print("1..%u\n", (unsigned)tap_count);
	return tap_failed != 0;
}

#endif
