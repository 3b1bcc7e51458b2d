/* SPDX-License-Identifier: BSD-2-Clause */
/* Permission to use a file, to signal a task, and to inspect it: path_resolution(7), kill(2),
 * ptrace(2). Context of all: task. */
#ifndef KERNEL_PERMISSION_H
#define KERNEL_PERMISSION_H

#include <stdbool.h>

struct inode;
struct task;

#define MAY_EXECUTE 1u
#define MAY_WRITE   2u
#define MAY_READ    4u

/* Returns 0, -EROFS for a change of a file system that is mounted read-only, or -EACCES unless the
 * current task has all accesses in `ways`. */
int inode_permission(const struct inode *inode, unsigned ways);
/* As inode_permission(), but checks only owner and mode. */
int mode_permission(const struct inode *inode, unsigned ways);
/* Number of file systems that are mounted read-only. */
extern unsigned mounts_read_only;
/* True if the file system of the inode is mounted read-only. */
bool inode_reads_only(const struct inode *inode);
/* True if the current task owns the file, or may act as its owner. */
bool inode_owned(const struct inode *inode);
/* Sets the owner of the current task's new file, which will be put into `dir`. */
void inode_take(struct inode *inode, const struct inode *dir);
/* Checks that an entry of `dir` to `inode` (NULL: a new one) may be added or removed: 0, -EACCES or
 * -EPERM. */
int dir_permission(const struct inode *dir, const struct inode *inode);
/* Clears the set-user-id and set-group-id bits after a write. */
void inode_drop_set_ids(struct inode *inode);

/* True if the current task may send `signo` (0: only checks) to the task. */
bool may_signal(const struct task *task, int signo);
/* True if the current task may inspect the other: by its real ids or, with `fs`, by its ids for
 * file access. */
bool may_inspect(const struct task *task, bool fs);

#endif
