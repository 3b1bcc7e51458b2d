/* SPDX-License-Identifier: BSD-2-Clause */
/* A core file that is being written. Context of all: task. */
#ifndef API_CORE_FILE_H
#define API_CORE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include "abi/linux/signal.h"

struct inode;
struct task;

struct core_file {
	struct inode *inode; /* referenced */
	uint64_t at;         /* where the next bytes go */
	uint64_t left;       /* of RLIMIT_CORE */
	bool failed;         /* the limit or memory was reached */
};

/* Appends bytes. After a failure it does nothing. */
void core_put(struct core_file *core, const void *bytes, uint64_t count);
/* Appends the notes: registers of each thread, the current one's first, the signal that ended the
 * process, its auxiliary vector and its mapped files. */
void core_put_notes(struct core_file *core, const siginfo_t *info);

/* Lets signals whose default action is a core file write one. Context: start. */
void core_init(void);

#endif
