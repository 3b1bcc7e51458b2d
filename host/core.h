/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated core: its text, and whether QEMU can have it. */
#ifndef HOST_CORE_H
#define HOST_CORE_H

#include <stdbool.h>

#include "host/options.h"

#define CORE_TURN "5000" /* instructions of a processor, before the next one's */

/* Returns `text`; ends the command for an unknown core, and after the list for "help". */
const char *check_core(const char *text);
/* Returns the text; dies unless it is a clock of --time. */
const char *check_time(const char *text);
/* True if events are a simulated core's. */
bool core_is_used(const struct options *options);
/* Adds QEMU's arguments for the simulated core, if one is wanted and this QEMU can have it. */
void core_words(struct words *words, const struct options *options, const char *version);
/* True if several processors take turns on one thread, so that a run repeats; otherwise each has
 * its own thread. */
bool core_takes_turns(const struct options *options);

/* Prints the configuration of the core that is asked for, as a file for `--core @FILE`. */
void core_dump(const struct options *options);

#endif
