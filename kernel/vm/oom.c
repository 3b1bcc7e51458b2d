/* SPDX-License-Identifier: BSD-2-Clause */
/* Out of memory: kills the process with the most pages, as on Linux. */
#include "kernel/base/log.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

/* Returns the task whose address space has the most pages; among equals the youngest. */
static struct task *largest(void)
{
	struct task *task, *found = current_task();

	list_for_each(task, &all_tasks, task_link) {
		if (task->mm && task->mm->rss >= found->mm->rss)
			found = task;
	}
	return found;
}

void vm_out_of_memory(void)
{
	struct task *victim = largest();

	if (!victim->process->exiting) {
		log_error("out of memory: killing %s (pid %d); give the machine more memory",
			  victim->comm, victim->tgid);
		signal_send(victim, SIGKILL);
	}
	if (victim->process != current_task()->process)
		schedule();
}
