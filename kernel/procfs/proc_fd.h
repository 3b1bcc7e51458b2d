/* SPDX-License-Identifier: BSD-2-Clause */
/* The directories /proc/PID/fd and /proc/PID/fdinfo. Context of all: task. */
#ifndef KERNEL_PROC_FD_H
#define KERNEL_PROC_FD_H

#include <stdbool.h>
#include <stdint.h>

struct file;
struct inode;

/* An entry's `priv`: the descriptor, above it the pid. */
#define PROC_FD_BITS 24
#define PROC_FD_MASK ((1u << PROC_FD_BITS) - 1)

/* Returns a new directory with one reference, or NULL. */
struct inode *proc_fd_directory(uint64_t pid);
struct inode *proc_fdinfo_directory(uint64_t pid);

/* Returns the open file of a process at `fd` or, with `next`, at the lowest descriptor from there
 * on; NULL: none. The file is valid while the caller does not sleep. */
struct file *proc_fd_file(uint64_t pid, uint64_t *fd, bool next);
/* inode_ops.list, without the mode. */
bool proc_fd_next(struct inode *dir, uint64_t *cookie, char *name, uint64_t *ino);
/* inode_ops.permission. */
int proc_fd_permission(const struct inode *dir, unsigned ways);

#endif
