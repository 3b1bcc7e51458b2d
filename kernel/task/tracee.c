/* SPDX-License-Identifier: BSD-2-Clause */
/* Wake-ups of a stopped tracee by others than its tracer. */
#include "kernel/task/sched.h"
#include "kernel/task/tracee.h"

void tracee_release(struct task *task)
{
	if (!task->trace || !task->trace->stopped)
		return;
	task->trace->stopped = false;
	task_wake(task);
}

void tracees_release(struct process *process)
{
	struct task *task;

	list_for_each(task, &process->threads, thread_link)
		tracee_release(task);
}

void tracees_notify(struct process *process)
{
	struct task *task;

	list_for_each(task, &process->threads, thread_link) {
		if (!is_traced(task) || !task->trace->seized || task == current_task())
			continue;
		task->trap_due = true;
		task->trace->inject = 0;
		if (task->trace->listening)
			tracee_release(task);
		task_poke(task);
	}
}
