/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of processes: pidfd_open(2). Context of all: task. */
#ifndef KERNEL_PIDFD_H
#define KERNEL_PIDFD_H

#include <stdint.h>

struct file;
struct task;

/* Opens a file for the process of a leader, readable once the process has ended; NULL: no
 * memory. */
struct file *pidfd_file(struct task *leader, uint32_t flags);
/* The leader behind an open file, or NULL: not such a file. */
struct task *pidfd_task(const struct file *file);

#endif
