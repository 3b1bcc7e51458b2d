/* SPDX-License-Identifier: BSD-2-Clause */
/* The Test Anything Protocol, on any output: a file that includes this defines before
 *   TAP_VPRINT(format, list)  how text is written,
 *   TAP_FLUSH()               what follows a test's line,
 *   TAP_VALUE                 how a value is,
 *   TAP_STATE                 `static` for a program of one file, else `extern`: one of its files
 *                             defines tap_count, tap_failed and tap_before. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>

#define TAP_NAME_BYTES 80

TAP_STATE int tap_count, tap_failed;
TAP_STATE char tap_before[TAP_NAME_BYTES]; /* the name of the test before, or its format; cut */

/* The source line of a test. */
struct tap_place {
	const char *file, *function;
	unsigned line;
};

#define TAP_HERE ((struct tap_place){__FILE__, __func__, __LINE__})

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

/* Ends a result's line. Below a failing one, prints where the test is and the one before it, as the
 * name of a step may continue the name of the step before. */
static inline void tap_finish(bool condition, struct tap_place place, const char *name)
{
	char *at = tap_before;

	tap_print("\n");
	if (!condition)
		tap_print("# at %s:%u%s%s\n", place.file, place.line,
			  *tap_before ? ", after: " : "", tap_before);
	while (*name && at < tap_before + TAP_NAME_BYTES - 1)
		*at++ = *name++;
	*at = 0;
	TAP_FLUSH();
}

__attribute__((format(printf, 3, 4))) static inline bool
tap_ok(struct tap_place place, bool condition, const char *format, ...)
{
	va_list arguments;

	tap_begin(condition, place.function);
	va_start(arguments, format);
	TAP_VPRINT(format, arguments);
	va_end(arguments);
	tap_finish(condition, place, format);
	return condition;
}

static inline bool tap_is(struct tap_place place, long got, long wanted, const char *name)
{
	tap_begin(got == wanted, place.function);
	tap_print("%s", name);
	tap_finish(got == wanted, place, name);
	if (got != wanted)
		tap_print("# got " TAP_VALUE ", wanted " TAP_VALUE "\n", got, wanted);
	return got == wanted;
}

/* One test, named by its function and a printf format; returns its condition. */
#define ok(condition, ...) tap_ok(TAP_HERE, condition, __VA_ARGS__)

/* Expects a value; prints the value that came instead. */
#define is(got, wanted, name) tap_is(TAP_HERE, (long)(got), (long)(wanted), name)

/* The plan; returns the exit status of main(). */
static inline int tap_end(void)
{
	tap_print("1..%u\n", (unsigned)tap_count);
	return tap_failed != 0;
}

#endif
