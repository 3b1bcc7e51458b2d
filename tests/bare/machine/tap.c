/* SPDX-License-Identifier: BSD-2-Clause */
/* TAP on COM1. */
#include <stdarg.h>

#include "abi/debug_exit.h"
#include "tests/bare/machine/guest.h"
#include "visor/base/console.h"

static unsigned tests, failures;

void ok(bool passed, const char *format, ...)
{
	va_list arguments;

	failures += !passed;
	say("%sok %u - ", passed ? "" : "not ", ++tests);
	va_start(arguments, format);
	say_list(format, arguments);
	va_end(arguments);
	say("\n");
}

void note(const char *format, ...)
{
	va_list arguments;

	say("# ");
	va_start(arguments, format);
	say_list(format, arguments);
	va_end(arguments);
	say("\n");
}

void is(uint64_t got, uint64_t wanted, const char *what)
{
	ok(got == wanted, "%s", what);
	if (got != wanted)
		note("got %lu (%lx), wanted %lu (%lx)", got, got, wanted, wanted);
}

void done(void)
{
	say("1..%u\n", tests);
	outb(DEBUG_EXIT_PORT, failures ? 1 : 0);
	for (;;)
		halt();
}
