/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory is short: the process that has the most of it ends, as on Linux. */
#include "arch/x86/paging/paging.h"
#include "kernel/base/log.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"
#include "kernel/task/tracee.h"
#include "kernel/vm/vm.h"

/* Returns the task whose address space has the most pages, tables among them; among equals the
 * youngest. */
static struct task *largest(void)
{
	struct task *task, *found = current_task();
	uint64_t most = 0;

	list_for_each(task, &all_tasks, task_link) {
		uint64_t pages = task->mm ? task->mm->rss + paging_tables(task->mm->root_phys) : 0;

		if (pages < most)
			continue;
		found = task;
		most = pages;
	}
	return found;
}

/* Kills the task's process unless it is ending. Its threads no longer stop for tracers, which might
 * never continue them. */
static void reclaim(struct task *victim)
{
	struct process *process = victim->process;

	process->reclaimed = true;
	if (process->exiting && !process->survivor) {
		tracees_release(process);
		return;
	}
	log_error("out of memory: killing %s (pid %d); give the machine more memory", victim->comm,
		  victim->tgid);
	signal_send(victim, SIGKILL);
}

/* True if memory is left on other nodes than the ones that the task's policy permits. */
static bool is_bound(void)
{
	return nr_nodes > 1 && memory_free_pages() > memory_total_pages() / 64;
}

void vm_out_of_memory(void)
{
	struct task *victim = is_bound() ? current_task() : largest();

	reclaim(victim);
	if (victim->process != current_task()->process)
		schedule();
}
