/* SPDX-License-Identifier: BSD-2-Clause */
/* mremap(2). */
#include <linux/errno.h>
#include <linux/mman.h>
#include "arch/x86/paging/paging.h"
#include "kernel/base/hooks.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/range.h"
#include "kernel/vm/thp.h"

/* Moves the present pages, with their protection. Returns 0 or -ENOMEM. */
static int move_pages(struct mm *mm, uint64_t from, uint64_t to, uint64_t length)
{
	struct paging_entry entry;

	if (mm->large)
		thp_split(mm, from, from + length);
	for (uint64_t addr = paging_next(mm->root_phys, from, from + length); addr < from + length;
	     addr = paging_next(mm->root_phys, addr + PAGE_SIZE, from + length)) {
		paging_query(mm->root_phys, addr, &entry);
		if (paging_map(mm->root_phys, to + (addr - from), entry.phys, entry.prot))
			return -ENOMEM;
		paging_unmap(mm->root_phys, addr, NULL);
	}
	paging_flush_others(mm->root_phys, from, from + length);
	return 0;
}

/* Moves the area `vma` (exactly the remapped range) to `to` with its new length. */
static int64_t move_area(struct vma *vma, uint64_t to, uint64_t new_length)
{
	struct mm *mm = vma->mm;
	uint64_t length = vma->end - vma->start;
	struct vma *moved =
	    vma_new(mm, to, to + new_length, vma->prot, vma->flags, vma->file, vma->pgoff);
	int err;

	if (!moved)
		return -ENOMEM;
	if (vma->flags & VMA_HUGE) {
		err = huge_move(vma, moved);
	} else {
		err = move_pages(mm, vma->start, to, length < new_length ? length : new_length);
		if (err)
			move_pages(mm, to, vma->start, length);
	}
	if (err) {
		vma_free(moved);
		return -ENOMEM;
	}
	vma_remove(vma);
	if (perf_hooks.mmap)
		perf_hooks.mmap(moved);
	return (int64_t)to;
}

/* Extends the area that ends at `end` by `more` bytes; false if the range is not free. */
static bool grow_in_place(struct vma *vma, uint64_t more)
{
	struct vma *next = vma_next(vma);

	if (!range_ok(vma->end, more) || (next && next->start - vma->end < more))
		return false;
	vma_resize(vma, vma->start, vma->end + more);
	return true;
}

/* Clears the target range of the area at [addr, addr + length), and moves the area there, with its
 * new length. */
static int64_t move_range(struct mm *mm, uint64_t addr, uint64_t length, int64_t place,
			  uint64_t new_length)
{
	int err = place < 0 ? (int)place : vma_isolate(mm, addr, addr + length);

	return err ? err : move_area(vma_find(mm, addr), (uint64_t)place, new_length);
}

/* Huge pages stay in place, shrink, or move to a given address. */
static int64_t remap_huge(struct vma *vma, uint64_t addr, uint64_t old_length, uint64_t new_length,
			  uint32_t flags, uint64_t new_addr)
{
	uint64_t bytes = huge_bytes_of(vma);
	uint32_t place =
	    MAP_FIXED | MAP_HUGETLB | (uint32_t)__builtin_ctzl(bytes) << MAP_HUGE_SHIFT;
	struct mm *mm = vma->mm;
	bool fixed = flags & MREMAP_FIXED;
	int err;

	old_length = (old_length + bytes - 1) & -bytes;
	new_length = (new_length + bytes - 1) & -bytes;
	if (addr % bytes || (fixed && new_addr % bytes) || new_length > old_length ||
	    (fixed && new_addr < addr + old_length && addr < new_addr + old_length))
		return -EINVAL;
	if (vma->end < addr + old_length)
		return -EFAULT;
	err =
	    new_length < old_length ? vm_clear_range(mm, addr + new_length, addr + old_length) : 0;
	if (err || !fixed)
		return err ? err : (int64_t)addr;
	return move_range(mm, addr, new_length, vm_choose_place(mm, new_addr, new_length, place),
			  new_length);
}

int64_t vm_remap(uint64_t addr, uint64_t old_length, uint64_t new_length, uint32_t flags,
		 uint64_t new_addr)
{
	struct mm *mm = current_task()->mm;
	struct vma *vma;
	int64_t place;
	int err;

	old_length = round_pages(old_length);
	new_length = round_pages(new_length);
	if (flags & ~(MREMAP_FIXED | MREMAP_MAYMOVE) || addr % PAGE_SIZE || !new_length ||
	    !old_length)
		return -EINVAL;
	if (flags & MREMAP_FIXED &&
	    (!(flags & MREMAP_MAYMOVE) || new_addr % PAGE_SIZE || !range_ok(new_addr, new_length) ||
	     (new_addr < addr + old_length && addr < new_addr + new_length)))
		return -EINVAL;
	if (!range_ok(addr, old_length) || !range_ok(0, new_length))
		return -EINVAL;
	vma = vma_find(mm, addr);
	if (!vma || vma->start > addr || vma->end < addr + old_length)
		return -EFAULT;
	if (vma->flags & VMA_HUGE)
		return remap_huge(vma, addr, old_length, new_length, flags, new_addr);
	if (vma->ops)
		return new_length > old_length ? -EFAULT : -EINVAL;
	if (vm_too_much(new_length, vma->prot, vma->flags))
		return -ENOMEM;
	if (!(flags & MREMAP_FIXED)) {
		if (new_length <= old_length) {
			err = new_length < old_length
				  ? vm_clear_range(mm, addr + new_length, addr + old_length)
				  : 0;
			return err ? err : (int64_t)addr;
		}
		if (vma->end == addr + old_length && grow_in_place(vma, new_length - old_length))
			return (int64_t)addr;
		if (!(flags & MREMAP_MAYMOVE))
			return -ENOMEM;
	}
	place = vm_choose_place(mm, flags & MREMAP_FIXED ? new_addr : 0, new_length,
				flags & MREMAP_FIXED ? MAP_FIXED : 0);
	return move_range(mm, addr, old_length, place, new_length);
}
