/* SPDX-License-Identifier: BSD-2-Clause */
/* What the way back to ring 3 asks of the scheduler; the rest is in kernel/task.h. */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

/* Lets others run when the current task's turn is over. Context: task, before a return to ring 3.
 */
void sched_user_return(void);

#endif
