/* SPDX-License-Identifier: BSD-2-Clause */
/* What -a, -C and -p name: processors, and threads of processes. */
#ifndef APPS_LIB_TARGETS_H
#define APPS_LIB_TARGETS_H

#include <stdbool.h>
#include <sys/types.h>

/* The processors of a list like "0,2-3" (NULL: all). Returns how many, or -1 after a message of
 * `app`'s. */
int target_cpus(const char *app, const char *text, int *cpus, int most);

/* The threads of the processes ("12,34"). Returns how many, or -1 after a message. */
int target_threads(const char *app, const char *pids, pid_t *threads, int most);

/* Whether one of the processes is still there. */
bool target_lives(const char *pids);

#endif
