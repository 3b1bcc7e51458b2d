/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the programs' mappings: no free page of the allocator may be mapped. */
#include "arch/x86/paging/paging.h"
#include "kernel/base/log.h"
#include "kernel/debug/audit.h"
#include "kernel/mem/page.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

static void check_page(const struct task *task, uint64_t virt, uint64_t phys)
{
	const struct page *page = page_of(phys_virt(phys));

	if (page->kind == PAGE_FREE || page->kind == PAGE_LOOSE || page->kind == PAGE_ZEROS ||
	    page->kind == PAGE_SLAB ||
	    ((page->kind == PAGE_USED || page->kind == PAGE_HUGE) && !page->refs))
		panic("check: task %d has a page of kind %u with %u references at %lx", task->pid,
		      page->kind, page->refs, virt);
}

void mappings_check(void)
{
	const struct task *task;
	struct paging_entry entry;

	list_for_each(task, &all_tasks, task_link) {
		uint64_t root, at;

		if (!task->mm)
			continue;
		root = task->mm->root_phys;
		for (at = paging_next(root, 0, USER_END); at < USER_END;
		     at = paging_next(root, at + PAGE_SIZE, USER_END))
			if (paging_query(root, at, &entry))
				check_page(task, at, entry.phys);
	}
}
