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

/* Without strcmp(): the visor's guest has no C library. */
static inline bool tap_is_main(const char *function)
{
	const char *name = "main";

	while (*name && *function == *name) {
		function++;
		name++;
	}
	return *function == *name;
}

/* Prints a result's line, up to its text: what follows names the function that tests. */
static inline void tap_begin(bool condition, const char *function)
{
	tap_count++;
	tap_failed += !condition;
	tap_print("%sok %u - ", condition ? "" : "not ", (unsigned)tap_count);
	if (!tap_is_main(function))
		tap_print("%s: ", function);
}

__attribute__((format(printf, 3, 4))) static inline bool
tap_ok(const char *function, bool condition, const char *format, ...)
{
	va_list arguments;

	tap_begin(condition, function);
	va_start(arguments, format);
	TAP_VPRINT(format, arguments);
	va_end(arguments);
	tap_print("\n");
	TAP_FLUSH();
	return condition;
}

static inline bool tap_is(const char *function, long got, long wanted, const char *name)
{
	bool same = tap_ok(function, got == wanted, "%s", name);

	if (!same)
		tap_print("# got " TAP_VALUE ", wanted " TAP_VALUE "\n", got, wanted);
	return same;
}

/* One test, named by its function and a printf format; returns its condition. */
#define ok(condition, ...) tap_ok(__func__, condition, __VA_ARGS__)

/* Expects a value; prints the value that came instead. */
#define is(got, wanted, name) tap_is(__func__, (long)(got), (long)(wanted), name)

/* The plan; returns the exit status of main(). */
static inline int tap_end(void)
{
	tap_print("1..%u\n", (unsigned)tap_count);
	return tap_failed != 0;
}

#endif
