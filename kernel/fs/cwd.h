/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a task is in the tree of files: its current folder, and the mask of what it makes. Context
 * of all: task. */
#ifndef KERNEL_CWD_H
#define KERNEL_CWD_H

#include <stdint.h>

struct inode;

struct cwd {
	uint32_t refs; /* tasks that share it (CLONE_FS) */
	uint32_t umask;
	struct inode *folder; /* referenced */
};

/* One task's; NULL when memory is short. */
struct cwd *cwd_new(struct inode *folder, uint32_t umask);
void cwd_put(struct cwd *cwd);
/* Another current folder. */
void cwd_go_to(struct cwd *cwd, struct inode *folder);
/* Makes *cwd the task's own, with the same folder and mask: 0 or -ENOMEM. */
int cwd_unshare(struct cwd **cwd);

#endif
