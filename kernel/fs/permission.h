/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may use which file, signal which task and look into it: path_resolution(7), kill(2),
 * ptrace(2). Context of all: task. */
#ifndef KERNEL_PERMISSION_H
#define KERNEL_PERMISSION_H

#include <stdbool.h>

struct inode;
struct task;

#define MAY_EXECUTE 1u
#define MAY_WRITE   2u
#define MAY_READ    4u

/* 0, or -EACCES when the current task may not use the file in every way of `ways`. */
int inode_permission(const struct inode *inode, unsigned ways);
/* As inode_permission(), but checks only owner and mode. */
int mode_permission(const struct inode *inode, unsigned ways);
/* The current task owns the file, or may act as the owner. */
bool inode_owned(const struct inode *inode);
/* A new file of the current task's, to be put into `dir`. */
void inode_take(struct inode *inode, const struct inode *dir);
/* An entry of `dir` that leads to `inode` (NULL: a new one) may be made or removed: 0, -EACCES or
 * -EPERM. */
int dir_permission(const struct inode *dir, const struct inode *inode);
/* Clears the set-user-id and set-group-id bits after a write. */
void inode_drop_set_ids(struct inode *inode);

/* The current task may send `signo` (0: ask only) to the task. */
bool may_signal(const struct task *task, int signo);
/* The current task may look into the other: as itself, or, with `fs`, by its numbers of file
 * access. */
bool may_inspect(const struct task *task, bool fs);

#endif
