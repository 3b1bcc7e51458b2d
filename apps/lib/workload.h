/* SPDX-License-Identifier: BSD-2-Clause */
/* The measured program: forked, held until its events are open, then released into exec. */
#ifndef APPS_LIB_WORKLOAD_H
#define APPS_LIB_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "abi/exit_status.h"

struct workload {
	pid_t pid;
	bool prints_to_stderr; /* its standard output is used otherwise; set before the fork */
	int go;                /* closed: the child runs exec */
	int failed; /* the child writes its errno here when exec fails; closed by a successful
		     * one */
};

/* Forks; the child waits before exec(argv[0], argv). Returns 0, or -1 and errno. */
int workload_fork(struct workload *workload, char **argv);

/* Releases the child and waits for its exec. Returns 0, or the errno of exec (the child is then
 * reaped). */
int workload_start(struct workload *workload);

/* Ends a child that was never started. */
void workload_cancel(struct workload *workload);

/* Converts the status of wait(2) to that of a shell (0..255, or 128 + N for signal N). Reports a
 * signal on stderr as perf does. */
int workload_status(const char *program, int wait_status);

/* Reports on stderr that `program` could not be run, and returns 127 or 126. */
int workload_exec_error(const char *app, const char *program, int error);

#endif
