/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of futexes that a thread holds: set_robust_list(2). */
#ifndef KERNEL_ROBUST_H
#define KERNEL_ROBUST_H

struct task;

/* The task exits or changes its mm: marks the futexes that it held as FUTEX_OWNER_DIED and wakes a
 * waiter of each. Context: task, the current. */
void robust_list_exit(struct task *task);

#endif
