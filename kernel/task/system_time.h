/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of a task's processor time that it spends in the kernel. The ways in and out read no
 * clock, until somebody asks how long they took: from then on the process and its later children
 * take longer ones.
 */
#ifndef KERNEL_SYSTEM_TIME_H
#define KERNEL_SYSTEM_TIME_H

#include "kernel/task/task.h"

/* Somebody wants to know user and system time of the process apart: what was until now is user
 * time. Context: task. */
void system_time_wanted(struct process *process);

/* The task, which is the current one, enters the kernel and leaves it. Context: task. */
static inline void system_time_begins(struct task *task)
{
	if (task->calls_timed)
		task->system_since = task_runtime_ns(task);
}

static inline void system_time_ends(struct task *task)
{
	if (task->system_since) {
		task->system_ns += task_runtime_ns(task) - task->system_since;
		task->system_since = 0;
	}
}

/* Why its calls take the longer way: they are timed, or its tracer wants to be told of them. The
 * processor learns it at the next switch to the task. */
static inline void calls_told(struct task *task, bool on)
{
	task->calls_told = on;
	task->calls_traced = on || task->calls_timed;
}

#endif
