/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the debug kernel to break itself in the way that the argument numbers: it must not
 * survive. */
#include "tests/debug/debug.h"
#include <sched.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return tap_skip_all("which?");
	debug_control(DEBUG_BREAK, strtoul(argv[1], NULL, 10), 0);
	sched_yield();
	return 0;
}
