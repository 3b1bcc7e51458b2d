/* SPDX-License-Identifier: BSD-2-Clause */
/* The command gdb: a debugger at the machine, which waits for it before its first instruction. */
#ifndef HOST_MACHINE_DEBUGGER_H
#define HOST_MACHINE_DEBUGGER_H

#include <stdbool.h>

#include "host/options.h"

/* Makes room for the debugger's socket, and keeps standard input for the debugger: the program
 * finds /dev/null. Must be called before anything looks at standard input. */
void debugger_prepare(void);
/* True after debugger_prepare(). */
bool debugger_used(void);
/* Adds QEMU's arguments for a machine that waits for the debugger; none unless it is used. */
void debugger_words(struct words *words);
/* Starts gdb on the kernel's symbols and, if its addresses are fixed, the symbols of the program at
 * `program` (NULL: none). Until it ends, Ctrl-C goes to gdb. Ends the command when gdb is
 * missing. */
void debugger_start(const char *program);
/* Waits until gdb has ended. Returns at once when there is none. */
void debugger_wait(void);

#endif
