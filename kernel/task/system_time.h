/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A task's processor time in the kernel. Kernel entry and exit read no clock until the process
 * requests its system time: from then on the process and its later children use timed entries.
 */
#ifndef KERNEL_SYSTEM_TIME_H
#define KERNEL_SYSTEM_TIME_H

#include "kernel/task/task.h"

/* Separates user from system time of the process from now on; the time until now counts as user
 * time. Context: task. */
void system_time_wanted(struct process *process);

/* The current task enters the kernel, and leaves it. Context: task. */
static inline void system_time_begins(struct task *task)
{
	if (task->calls_timed)
		task->system_since = task_runtime_ns(task);
}

/* Charges the task and its process for the time in the kernel up to the run time `now`. The task
 * has a process, and is in a timed call. Context: as task_account_switch(). */
static inline void system_time_charge(struct task *task, uint64_t now)
{
	task->system_ns += now - task->system_since;
	task->process->own.system_ns += now - task->system_since;
}

static inline void system_time_ends(struct task *task)
{
	if (task->system_since) {
		system_time_charge(task, task_runtime_ns(task));
		task->system_since = 0;
	}
}

/* Sets one reason for slow system calls: they are timed, or its tracer is notified. The processor
 * sees the change at the next switch to the task. */
static inline void calls_reported(struct task *task, bool on)
{
	task->calls_reported = on;
	task->calls_traced = on || task->calls_timed;
}

#endif
