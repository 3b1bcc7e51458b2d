/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource use of tasks and processes: getrusage(2). */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/mem/space.h"
#include "kernel/task/system_time.h"
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

/* Adds the time since the task's last switch to the task and to its process. */
static inline void settle(struct task *task)
{
	uint64_t now = clock_ns_inline(), ran = now - task->switched_in_ns;

	task->runtime_ns += ran;
	task->switched_in_ns = now;
	if (task->process)
		task->process->own.runtime_ns += ran;
	if (task->system_since) {
		system_time_charge(task, task->runtime_ns);
		task->system_since = task->runtime_ns;
	}
}

void task_account_switch(struct task *task)
{
	bool forced = task->state == TASK_RUNNABLE;

	task->nivcsw += forced;
	task->nvcsw += !forced;
	if (task->state == TASK_ZOMBIE) /* its process may be gone: task_account_exit() */
		return;
	settle(task);
	if (task->process) {
		task->process->own.nivcsw += forced;
		task->process->own.nvcsw += !forced;
	}
}

void task_account_exit(struct task *task)
{
	settle(task);
}

void process_usage(const struct process *process, struct usage *usage)
{
	const struct mm *mm = NULL;

	*usage = process->own;
	if (!list_empty(&process->threads)) /* which share their memory */
		mm = list_first(&process->threads, struct task, thread_link)->mm;
	if (mm && mm->max_rss > usage->max_rss)
		usage->max_rss = mm->max_rss;
	for (uint32_t i = 0; i < nr_cpus; i++) {
		const struct task *task = cpus[i]->current;
		uint64_t ran;

		if (task->process != process || task->state == TASK_ZOMBIE)
			continue;
		ran = clock_ns() - task->switched_in_ns;
		usage->runtime_ns += ran;
		if (task->system_since)
			usage->system_ns += task->runtime_ns + ran - task->system_since;
	}
}
