/* SPDX-License-Identifier: BSD-2-Clause */
/* The form in which getrusage(2) and wait4(2) report usage. */
#ifndef API_USAGE_H
#define API_USAGE_H

#include <linux/resource.h>
#include <linux/time.h>
#include "kernel/task/task.h"

/* All processor time counts as user time: the ways in and out of the kernel take no clock readings.
 */
void usage_to_rusage(const struct usage *usage, struct rusage *rusage);

#endif
