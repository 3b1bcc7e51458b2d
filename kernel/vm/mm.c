/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces: made for exec, copied for fork, freed at the end. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/device_area.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/thp.h"
#include "kernel/vm/vma.h"

struct mm *mm_new(void)
{
	static uint64_t serial;
	struct mm *mm = kalloc(sizeof(*mm));

	if (!mm)
		return NULL;
	mm->root_phys = paging_new();
	if (!mm->root_phys) {
		kfree(mm);
		return NULL;
	}
	vma_tree_init(mm);
	mm->serial = ++serial;
	mm->refs = 1;
	return mm;
}

void vma_drop_pages(struct vma *vma, uint64_t start, uint64_t end)
{
	if (vma->flags & VMA_HUGE) {
		huge_drop(vma, start, end);
		return;
	}
	if (vma->flags & VMA_DEVICE) {
		device_drop(vma, start, end);
		return;
	}
	if (vma->mm->large)
		thp_drop(vma, start, end);
	vma->mm->rss -= paging_clear(vma->mm->root_phys, start, end, page_put);
}

/* Limits on work between two preemption points. */
#define PAGES_AT_ONCE 4096
#define AREAS_AT_ONCE 256

void vma_drop_tables(struct mm *mm, uint64_t start, uint64_t end)
{
	struct vma *above = vma_find(mm, start);
	const struct list *below = above ? above->link.prev : mm->vmas.prev;

	paging_prune(mm->root_phys, start, end,
		     below == &mm->vmas ? 0 : container_of(below, struct vma, link)->end,
		     above ? above->start : USER_END + PAGE_SIZE);
}

void vma_remove(struct vma *vma)
{
	struct mm *mm = vma->mm;
	uint64_t start = vma->start, end = vma->end;

	vma_drop_pages(vma, start, end);
	vma_free(vma);
	vma_drop_tables(mm, start, end);
}

bool vma_many(const struct mm *mm, uint64_t start, uint64_t end)
{
	return end - start > AREAS_AT_ONCE * PAGE_SIZE &&
	       (mm->rss > PAGES_AT_ONCE || mm->nr_areas > AREAS_AT_ONCE);
}

uint64_t vma_part(struct mm *mm, uint64_t start, uint64_t end)
{
	uint64_t part = paging_part(mm->root_phys, start, end);
	struct vma *vma = vma_find(mm, start);

	for (unsigned i = 0; vma && vma->start < part; i++, vma = vma_next(vma)) {
		if (i == AREAS_AT_ONCE)
			return vma->start;
		if (vma->end > part && vma->ops)
			return vma->end < end ? vma->end : end;
	}
	return part;
}

/* Removes the areas and pages of [start, end); an area that crosses a bound stays, without its
 * pages in the range. */
static void drop_range(struct mm *mm, uint64_t start, uint64_t end)
{
	struct vma *vma, *next;

	for (vma = vma_find(mm, start); vma && vma->start < end; vma = next) {
		next = vma_next(vma);
		vma_drop_pages(vma, vma->start > start ? vma->start : start,
			       vma->end < end ? vma->end : end);
		if (vma->end <= end)
			vma_free(vma);
	}
}

/* Empties an address space that no task will use again; other tasks run in between. */
static void mm_empty(struct mm *mm)
{
	for (uint64_t start = 0, part; start < USER_END; start = part) {
		part = vma_part(mm, start, USER_END);
		drop_range(mm, start, part);
		sched_pause();
	}
}

void mm_get(struct mm *mm)
{
	__atomic_fetch_add(&mm->refs, 1, __ATOMIC_RELAXED);
}

void mm_put(struct mm *mm)
{
	struct vma *vma, *next;

	KASSERT(mm->refs > 0);
	if (__atomic_sub_fetch(&mm->refs, 1, __ATOMIC_ACQ_REL))
		return;
	/* Its areas are not looked up again, and need not leave the tree one by one. */
	mm->areas.root = NULL;
	mm->hint = NULL;
	list_for_each_safe(vma, next, &mm->vmas, link) {
		vma_drop_pages(vma, vma->start, vma->end);
		vma_release(vma);
	}
	paging_free(mm->root_phys);
	if (mm->exe_inode) {
		mm->exe_inode->executors--;
		inode_put(mm->exe_inode);
		name_put(mm->exe_name);
	}
	kfree(mm);
}

/* Enters the parent's pages in the child's area; private ones become copy-on-write in both. */
static int copy_pages(struct vma *vma, struct vma *child)
{
	struct mm *from = vma->mm, *to = child->mm;
	bool private = !(vma->flags & MAP_SHARED) && !vma->ops;
	int64_t copied;

	if (vma->ops && vma->flags & VMA_HUGE)
		return huge_copy(vma, child);
	/* Pages that the file still holds come back by faults. */
	if ((vma->file && !private) || vma->flags & VMA_WIPE)
		return 0;
	for (uint64_t at = vma->start, part; at < vma->end; at = part) {
		part = from->copy && vma->end - at > PAGES_AT_ONCE * PAGE_SIZE
			   ? paging_part(from->root_phys, at, vma->end)
			   : vma->end;
		if (from->large)
			thp_split(from, at, part);
		copied = paging_copy(from->root_phys, to->root_phys, at, part, private, page_get);
		if (copied < 0)
			return -ENOMEM;
		to->rss += (uint64_t)copied;
		if (part < vma->end)
			sched_pause();
	}
	return 0;
}

/* Copies all areas with their pages. While a process is alone in its memory, its areas stay as they
 * are: other tasks run in between. Returns 0 or -ENOMEM. */
static int copy_areas(struct mm *mm, struct mm *copy)
{
	struct vma *vma, *child;
	unsigned count = 0;
	int err = 0;

	mm->copy = mm->refs == 1 ? copy : NULL;
	list_for_each(vma, &mm->vmas, link) {
		if (vma->flags & VMA_DONTCOPY)
			continue;
		child = vma_copy(vma, copy);
		err = child ? copy_pages(vma, child) : -ENOMEM;
		if (err)
			break;
		if (mm->copy && ++count % AREAS_AT_ONCE == 0)
			sched_pause();
	}
	mm->copy = NULL;
	return err;
}

void mm_set_exe(struct mm *mm, struct inode *inode, struct dirent *name)
{
	inode_get(inode);
	name_get(name);
	inode->executors++;
	mm->exe_inode = inode;
	mm->exe_name = name;
}

struct mm *mm_copy(struct mm *mm)
{
	struct mm *copy = mm_new();

	if (!copy)
		return NULL;
	copy->brk_start = mm->brk_start;
	copy->brk = mm->brk;
	copy->stack_limit = mm->stack_limit;
	copy->dumpable = mm->dumpable;
	copy->code_start = mm->code_start;
	copy->code_end = mm->code_end;
	copy->data_start = mm->data_start;
	copy->data_end = mm->data_end;
	copy->stack_start = mm->stack_start;
	copy->auxv_start = mm->auxv_start;
	copy->auxv_end = mm->auxv_end;
	copy->arg_start = mm->arg_start;
	copy->arg_end = mm->arg_end;
	copy->env_start = mm->env_start;
	copy->env_end = mm->env_end;
	if (mm->exe_inode)
		mm_set_exe(copy, mm->exe_inode, mm->exe_name);
	if (copy_areas(mm, copy)) {
		mm_empty(copy);
		mm_put(copy);
		return NULL;
	}
	/* Other threads must not write to pages that are shared now. */
	paging_flush_others(mm->root_phys, 0, USER_END);
	copy->max_rss = copy->rss;
	return copy;
}

void mm_switch(struct mm *mm)
{
	struct task *task = current_task();
	struct mm *old = task->mm;
	uint64_t flags;

	if (old && old->refs == 1 && vma_many(old, 0, USER_END))
		mm_empty(old);
	flags = irq_save();
	task->mm = mm;
	paging_load(mm ? mm->root_phys : paging_kernel_root());
	irq_restore(flags);
	if (old) {
		if (old->max_rss > task->process->own.max_rss)
			task->process->own.max_rss = old->max_rss;
		mm_put(old);
	}
}

void *mm_writable(struct mm *mm, uint64_t addr)
{
	struct paging_entry entry;
	bool there = paging_query(mm->root_phys, addr & -PAGE_SIZE, &entry);
	enum fault_result result;

	if (!there || !(entry.prot & PAGING_WRITE)) {
		do
			result = vm_fault(mm, addr, FAULT_WRITE | (there ? FAULT_PRESENT : 0));
		while (result == FAULT_AGAIN);
		if (result != FAULT_DONE)
			return NULL;
		there = paging_query(mm->root_phys, addr & -PAGE_SIZE, &entry);
	}
	if (!there || !(entry.prot & PAGING_WRITE))
		return NULL;
	return (char *)phys_virt(entry.phys) + addr % PAGE_SIZE;
}

/* Copies `from`, or zeros if it is NULL. */
static int fill(struct mm *mm, uint64_t addr, const char *from, uint64_t bytes)
{
	while (bytes) {
		uint64_t room = PAGE_SIZE - addr % PAGE_SIZE, piece = room < bytes ? room : bytes;
		char *to = mm_writable(mm, addr);

		if (!to)
			return -EFAULT;
		if (from) {
			memcpy(to, from, piece);
			from += piece;
		} else {
			memset(to, 0, piece);
		}
		addr += piece;
		bytes -= piece;
	}
	return 0;
}

int mm_write(struct mm *mm, uint64_t addr, const void *from, uint64_t bytes)
{
	return fill(mm, addr, from, bytes);
}

int mm_clear(struct mm *mm, uint64_t addr, uint64_t bytes)
{
	return fill(mm, addr, NULL, bytes);
}
