/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles of `boot`: the plugin's options, and the results after the machine has ended. */
#ifndef HOST_BOOT_PROFILE_H
#define HOST_BOOT_PROFILE_H

#include "host/options.h"

/* Makes the file for the plugin's stream and adds QEMU's arguments; ends the command on an error.
 */
void profile_words(struct words *words, const struct options *options, const char *version);
/* The machine has ended, `stopped` by this signal or 0: writes and prints the results. Returns the
 * command's status: `status`, or that of a comparison that failed. */
int profile_finish(const struct options *options, int status, int stopped);

/* Compares two files of --json. Returns the command's status. */
int profile_compare(const struct options *options);

#endif
