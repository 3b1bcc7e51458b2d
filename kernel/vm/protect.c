/* SPDX-License-Identifier: BSD-2-Clause */
/* mprotect: areas change, and then the pages in them. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include "arch/x86/paging/paging.h"
#include "kernel/file/file.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/device_area.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/range.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vma.h"

/* Applies the area's new protection to its pages in [start, end). A private page may be shared with
 * another process or the file, and an owner may refuse: unless it is writable now, the next write
 * decides. A transparent large page is the area's own, whole. */
static void reprotect_pages(struct vma *vma, uint64_t start, uint64_t end)
{
	uint64_t root = vma->mm->root_phys, large = paging_next_large(root, start, end);
	unsigned own = vma_paging(vma, true);

	paging_protect_range(root, start, end, own,
			     vma_paging(vma, vma->flags & MAP_SHARED && !vma->ops));
	for (; large < end; large = paging_next_large(root, large + PAGING_LARGE_BYTES, end))
		paging_protect_large(root, large, own);
	paging_flush_others(root, start, end);
}

/* Applies the protection of all areas in [start, end) to their pages. Other tasks run in between,
 * and may change areas. */
static void reprotect_range(struct mm *mm, uint64_t start, uint64_t end)
{
	struct vma *vma;

	while (start < end && (vma = vma_find(mm, start)) && vma->start < end) {
		uint64_t from = vma->start > start ? vma->start : start,
			 to = vma->end < end ? vma->end : end,
			 part = paging_part(mm->root_phys, from, to);

		if (vma->flags & VMA_HUGE)
			huge_reprotect(vma);
		else if (vma->flags & VMA_DEVICE)
			vma_drop_pages(vma, from, to);
		else
			reprotect_pages(vma, from, to = part);
		start = to;
		if (start < end)
			sched_pause();
	}
}

#define PROTECT_AT_ONCE 256 /* areas, without a pause */

#define PROT_GROWS (PROT_GROWSDOWN | PROT_GROWSUP)

/* PROT_GROWSDOWN: the change starts at the start of the stack's area. No area grows up. */
static int widen_to_stack(struct mm *mm, uint64_t *addr, uint64_t *length, uint32_t grows)
{
	const struct vma *vma = vma_find(mm, *addr);

	if (!grows)
		return 0;
	if (!vma || vma->start >= *addr + *length)
		return -ENOMEM;
	if (grows != PROT_GROWSDOWN || !(vma->flags & VMA_STACK))
		return -EINVAL;
	*length += *addr - vma->start;
	*addr = vma->start;
	return 0;
}

/* Returns 0 if the area may have the protection, else -EACCES. */
static int check_protection(const struct vma *vma, uint32_t prot)
{
	if (vma->flags & VMA_VVAR && prot & (PROT_WRITE | PROT_EXEC))
		return -EACCES;
	if (vma->flags & VMA_DEVICE && !device_allows(vma, prot))
		return -EACCES;
	if (vma->flags & MAP_SHARED && prot & PROT_WRITE && vma->file &&
	    ((vma->file->flags & O_ACCMODE) != O_RDWR || vma->flags & VMA_SEALED))
		return -EACCES;
	return 0;
}

/* Changes a range within one area, and reports it with the neighbours that it merges with. Other
 * tasks run in between. */
static int protect_area(struct mm *mm, uint64_t start, uint64_t end, uint32_t prot)
{
	int err = vma_isolate(mm, start, end);
	struct vma *vma;

	if (err)
		return err;
	vma = vma_find(mm, start);
	vma_change(vma, prot, vma->flags);
	vm_merge_and_report(mm, start, end);
	reprotect_range(mm, start, end);
	return 0;
}

/* Changes areas up to `end`, or a number of them: the address behind the last one, or a negative
 * errno. */
static int64_t protect_some(struct mm *mm, uint64_t start, uint64_t end, uint32_t prot)
{
	for (unsigned i = 0; i < PROTECT_AT_ONCE && start < end; i++) {
		const struct vma *vma = vma_find(mm, start);
		uint64_t part_end;
		int err = vma && vma->start <= start ? check_protection(vma, prot) : -ENOMEM;

		if (err)
			return err;
		part_end = vma->end < end ? vma->end : end;
		if (vma->prot != prot)
			err = protect_area(mm, start, part_end, prot);
		if (err)
			return err;
		start = part_end;
	}
	return (int64_t)start;
}

int vm_protect(uint64_t addr, uint64_t length, uint32_t prot)
{
	struct mm *mm = current_task()->mm;
	uint32_t grows = prot & PROT_GROWS;
	uint64_t end;
	int64_t done;
	int err = 0;

	length = round_pages(length);
	prot &= ~PROT_GROWS;
	if (addr % PAGE_SIZE || prot & ~(PROT_READ | PROT_WRITE | PROT_EXEC) || grows == PROT_GROWS)
		return -EINVAL;
	if (!length)
		return 0;
	if (range_ok(addr, length))
		err = widen_to_stack(mm, &addr, &length, grows);
	if (err)
		return err;
	if (!range_ok(addr, length) || !vm_is_mapped(mm, addr, length))
		return -ENOMEM;
	end = addr + length;
	do
		done = protect_some(mm, addr, end, prot);
	while (done >= 0 && (addr = (uint64_t)done) < end && sched_pause());
	return done < 0 ? (int)done : 0;
}
