/* SPDX-License-Identifier: BSD-2-Clause */
/* The first program, from the run file. The machine ends with it. */
#ifndef KERNEL_FIRST_H
#define KERNEL_FIRST_H

#include <stdint.h>

struct task;

/* Unpacks the initrd, makes the first task and starts it. Context: start; afterwards the caller
 * calls sched_idle(). */
void first_start(void);
/* The first process's leader. Context: any. */
struct task *first_task(void);
#define FIRST_NO_ADDRESS UINT64_MAX
/* Reports that a signal is about to kill the first process at `rip`. `address`: the fault's
 * address, or FIRST_NO_ADDRESS. Context: task (current's). */
void first_falls(uint64_t rip, uint64_t address);
/* The first process has ended with this status (as wait4 reports it): sends the results and ends
 * the machine. Context: task. */
_Noreturn void first_ended(int status);

#endif
