/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the tests: the plan, and the machine stops. */
#include "abi/debug_exit.h"
#include "tests/bare/machine/guest.h"

int tap_count, tap_failed;
char tap_before[TAP_NAME_BYTES];

void done(void)
{
	outb(DEBUG_EXIT_PORT, (uint8_t)tap_end());
	for (;;)
		halt();
}
