/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls whose steps fail one after the other (failures.c). */
#ifndef TESTS_DEBUG_FAILURES_H
#define TESTS_DEBUG_FAILURES_H

#include <stdbool.h>

/* What they make lies in there. */
#define FAILURES_FOLDER "/tmp/f"

/* `prepare` may be NULL; `call` returns what the kernel said, with -1 for an error. The last one of
 * a table has no name. */
struct failing_call {
	const char *name;
	void (*prepare)(void);
	long (*call)(void);
};

extern const struct failing_call calls_of_files[], calls_of_sockets[], calls_of_tasks[],
    calls_of_objects[], calls_of_ipc[];

/* Takes away what those of calls_of_objects leave in the file systems of the kernel. */
void clean_objects(void);
/* The same of calls_of_ipc. */
void clean_ipc(void);

#endif
