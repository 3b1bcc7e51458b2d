/* SPDX-License-Identifier: BSD-2-Clause */
/* The first program: what the run file asks for. Its end is the machine's. */
#ifndef KERNEL_FIRST_H
#define KERNEL_FIRST_H

struct task;

/* Unpacks the initrd, makes the first task and lets it run. Context: start; afterwards the caller
 * calls sched_idle(). */
void first_start(void);
/* The first process's leader. */
struct task *first_task(void);
/* The first process has ended with this status (as wait4 reports it): the results go out and the
 * machine ends. */
_Noreturn void first_ended(int status);

#endif
