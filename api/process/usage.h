/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion of usage to the form of getrusage(2) and wait4(2). */
#ifndef API_USAGE_H
#define API_USAGE_H

#include <linux/resource.h>
#include <linux/time.h>
#include "kernel/task/task.h"

/* Fills in a rusage. The call enables separate user and system time, for the process and its later
 * children. Context: task. */
void usage_to_rusage(const struct usage *usage, struct rusage *rusage);

#endif
