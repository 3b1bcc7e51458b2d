/* SPDX-License-Identifier: BSD-2-Clause */
/* stat --baseline: compares counts with stored ones, for continuous integration. */
#ifndef HOST_STAT_BASELINE_H
#define HOST_STAT_BASELINE_H

#include "host/options.h"

#define STATUS_CHANGED 1 /* of stat, if the program ended with 0 but counts differ */

/* Makes stat write JSON to a file that baseline_check() reads. */
void baseline_prepare(struct options *options);
/* Prints each event's count beside the baseline's, or writes the baseline if it does not exist yet.
 * `status` is the program's. Returns it, or STATUS_CHANGED. */
int baseline_check(const struct options *options, int status);

#endif
