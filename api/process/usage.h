/* SPDX-License-Identifier: BSD-2-Clause */
/* The form in which getrusage(2) and wait4(2) report usage. */
#ifndef API_USAGE_H
#define API_USAGE_H

#include <linux/resource.h>
#include <linux/time.h>
#include "kernel/task/task.h"

/* Fills in a rusage. The call enables separate user and system time, for the process and its later
 * children. Context: task. */
void usage_to_rusage(const struct usage *usage, struct rusage *rusage);

#endif
