/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls whose steps fail one after the other (failures.c). */
#ifndef TESTS_DEBUG_FAILURES_H
#define TESTS_DEBUG_FAILURES_H

#include <stdbool.h>

/* The directory of the calls' files. */
#define FAILURES_DIRECTORY "/tmp/f"

/* `prepare` may be NULL; `call` returns what the kernel said, with -1 for an error. The last one of
 * a table has no name. */
struct failing_call {
	const char *name;
	void (*prepare)(void);
	long (*call)(void);
};

extern const struct failing_call calls_of_files[], calls_of_sockets[], calls_of_tasks[],
    calls_of_objects[], calls_of_ipc[];

/* Removes the files that calls_of_objects leave in the kernel's file systems. */
void clean_objects(void);
/* Removes the objects that calls_of_ipc leave. */
void clean_ipc(void);

#endif
