/* SPDX-License-Identifier: BSD-2-Clause */
/* The targets of -a, -C and -p: processors, and threads of processes. */
#ifndef APPS_LIB_TARGETS_H
#define APPS_LIB_TARGETS_H

#include <stdbool.h>
#include <sys/types.h>

/* Parses a list of processors like "0,2-3" (NULL: all). Returns their number, or -1 after a message
 * in the name of `app`. */
int target_cpus(const char *app, const char *text, int *cpus, int most);

/* Finds the threads of the processes ("12,34"). Returns their number, or -1 after a message. */
int target_threads(const char *app, const char *pids, pid_t *threads, int most);

/* True while one of the processes exists. */
bool target_lives(const char *pids);

#endif
