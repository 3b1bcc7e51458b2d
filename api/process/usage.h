/* SPDX-License-Identifier: BSD-2-Clause */
/* The form in which getrusage(2) and wait4(2) report usage. */
#ifndef API_USAGE_H
#define API_USAGE_H

#include <linux/resource.h>
#include <linux/time.h>
#include "kernel/task/task.h"

/* Who asks for it wants user and system time apart, of its children as well: from now on they are.
 * Context: task. */
void usage_to_rusage(const struct usage *usage, struct rusage *rusage);

#endif
