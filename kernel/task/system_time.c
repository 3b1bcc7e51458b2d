/* SPDX-License-Identifier: BSD-2-Clause */
/* Separates system time from user time, for processes that request it. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/trap_hooks.h"
#include "arch/x86/trap/traps.h"
#include "kernel/task/system_time.h"

/* The previous trap_hooks.page_fault. */
static int (*page_fault)(struct frame *frame, uint64_t address);

static int timed_page_fault(struct frame *frame, uint64_t address)
{
	struct task *task = current_task();
	int result;

	if (!task->calls_timed || task->system_since)
		return page_fault(frame, address);
	system_time_begins(task);
	result = page_fault(frame, address);
	system_time_ends(task);
	return result;
}

void system_time_wanted(struct process *process)
{
	struct task *task;
	uint64_t flags;

	if (list_empty(&process->threads) ||
	    list_first(&process->threads, struct task, thread_link)->calls_timed)
		return; /* of all of them or of none */
	if (!page_fault) {
		page_fault = trap_hooks.page_fault;
		trap_hooks.page_fault = timed_page_fault;
	}
	list_for_each(task, &process->threads, thread_link)
		task->calls_timed = task->calls_traced = true;
	flags = irq_save();
	traps_trace_task(current_task()->calls_traced);
	irq_restore(flags);
}
