/* SPDX-License-Identifier: BSD-2-Clause */
/* One line on a terminal's stderr during long operations; any output replaces it. */
#ifndef HOST_MACHINE_PROGRESS_H
#define HOST_MACHINE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Starts the clock of an operation, "stat", which ends after `limit` seconds; 0: it has no limit.
 * `after_output`: the line comes back when the program has printed lines and is silent again. */
void progress_begin(const char *what, int limit, bool after_output);
/* Notes the program's output, which replaces the line. */
void progress_output(const void *bytes, size_t size);
/* Prints the line with the state, "starting", once a second from the second second on. */
void progress_show(const char *state);
/* Clears the line; must be called before anything else is printed. */
void progress_hide(void);

#endif
