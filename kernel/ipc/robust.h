/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of futexes that a thread holds: set_robust_list(2). */
#ifndef KERNEL_ROBUST_H
#define KERNEL_ROBUST_H

struct task;

/* The task ends, or leaves its memory: whoever waits for what it held learns that its owner died.
 * Context: task, the current. */
void robust_list_exit(struct task *task);

#endif
