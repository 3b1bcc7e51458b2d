/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of /proc and /sys: text that is made when the file is opened. */
#ifndef KERNEL_SYNTHETIC_H
#define KERNEL_SYNTHETIC_H

#include <stdint.h>
#include "kernel/text.h"

/* One file. `make` adds its contents to `out`; it may be called more than once an open. `id` is the
 * caller's (a pid). Context: task. */
struct synthetic {
	const char *path; /* absolute, or a name within a process's folder */
	void (*make)(struct text *out, uint64_t id);
	/* What was written, as a string: 0 or a negative errno. NULL: the file is read only. */
	int (*store)(const char *text);
};

/* Adds a file for good (at most 64); the folders on its way are made. Before or after the tree is.
 * Context: start. */
void synthetic_add(const struct synthetic *file);

struct inode;
/* A new inode that shows the file; one reference, no name. NULL when memory is short.
 * Context: task. */
struct inode *synthetic_inode(const struct synthetic *file, uint64_t id);

/* Puts what was added into the tree. Context: start, from proc_init(). */
void synthetic_init(void);

#endif
