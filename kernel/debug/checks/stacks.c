/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel stacks of the debug kernel: a canary at the lowest words, checked at each context switch
 * and at the end of each system call; and the number of their pages. */
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/paging/pte.h"
#include "kernel/base/log.h"
#include "kernel/debug/audit.h"
#include "kernel/debug/checks/pages.h"
#include "kernel/debug/replace.h"
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

/* The pages that a table of the region leads to, and the tables. */
static uint64_t pages_below(uint64_t entry, unsigned level)
{
	const uint64_t *table = pte_table(entry);
	uint64_t pages = 0;

	if (!(entry & PTE_PRESENT))
		return 0;
	for (unsigned i = 0; level && i < PTE_ENTRIES; i++)
		pages += pages_below(table[i], level - 1);
	return 1 + pages;
}

int64_t pages_of_stacks(void)
{
	uint64_t entry = pte_table(paging_kernel_root())[pte_index(STACK_REGION, 4)];

	return (int64_t)pages_below(entry, 3);
}
