/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource use of tasks and processes: getrusage(2). */
#include "kernel/mem/space.h"
#include "kernel/task/task.h"

void usage_add(struct usage *sum, const struct usage *more)
{
	sum->runtime_ns += more->runtime_ns;
	sum->system_ns += more->system_ns;
	sum->min_faults += more->min_faults;
	sum->maj_faults += more->maj_faults;
	sum->nvcsw += more->nvcsw;
	sum->nivcsw += more->nivcsw;
	if (more->max_rss > sum->max_rss)
		sum->max_rss = more->max_rss;
}

void task_usage(const struct task *task, struct usage *usage)
{
	usage->runtime_ns = task_runtime_ns(task);
	usage->system_ns = task->system_ns;
	if (task->system_since)
		usage->system_ns += usage->runtime_ns - task->system_since;
	usage->min_faults = task->min_faults;
	usage->maj_faults = task->maj_faults;
	usage->nvcsw = task->nvcsw;
	usage->nivcsw = task->nivcsw;
	usage->max_rss = task->mm ? task->mm->max_rss : 0;
}

void process_usage(const struct process *process, struct usage *usage)
{
	struct usage one;
	struct task *task;

	*usage = process->own;
	list_for_each(task, &process->threads, thread_link) {
		task_usage(task, &one);
		usage_add(usage, &one);
	}
}
