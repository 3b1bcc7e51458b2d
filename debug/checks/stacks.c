/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel stacks of the debug kernel: a canary at the lowest words, looked at whenever the task
 * gives the processor away and at the end of each system call. */
#include "arch/x86/cpu/percpu.h"
#include "debug/audit.h"
#include "debug/replace.h"
#include "kernel/base/log.h"
#include "kernel/mem/stack.h"
#include "kernel/task/task.h"

#define CANARY 0x5ca1ab1e5ca1ab1eul
#define WORDS  8 /* of them */

static uint64_t *lowest(uint64_t top)
{
	return (uint64_t *)(top - STACK_BYTES);
}

REPLACE(uint64_t, stack_alloc, void)
{
	uint64_t top = __real_stack_alloc();

	for (unsigned i = 0; top && i < WORDS; i++)
		lowest(top)[i] = CANARY;
	return top;
}

void stack_check(void)
{
	const struct task *task = current_task();

	if (task->kernel_thread)
		return;
	for (unsigned i = 0; i < WORDS; i++)
		if (lowest(task->stack_top)[i] != CANARY)
			panic("check: the kernel stack of task %d is used up", task->pid);
}
