/* SPDX-License-Identifier: BSD-2-Clause */
/* mremap(2). As on Linux, MMAP records do not report it. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "arch/x86/paging/paging.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/lock.h"
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

/* Returns a new area at [to, to + length) that shows what `vma` does from its page `page` on, still
 * without pages; NULL: no memory. */
static struct vma *second_area(const struct vma *vma, uint64_t page, uint64_t to, uint64_t length)
{
	struct vma *area =
	    vma_new(vma->mm, to, to + length, vma->prot, vma->flags, vma->file, vma->pgoff + page);

	if (!area || vma->flags & VMA_HUGE)
		return area;
	area->ops = vma->ops;
	area->priv = vma->priv;
	if (area->ops && area->ops->open)
		area->ops->open(area);
	return area;
}

/* Moves the area `vma` (exactly the remapped range) to `to` with its new length. */
static int64_t move_area(struct vma *vma, uint64_t to, uint64_t new_length)
{
	struct mm *mm = vma->mm;
	uint64_t length = vma->end - vma->start;
	struct vma *moved = second_area(vma, 0, to, new_length);
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
	vma_merge(mm, to, to + new_length);
	return (int64_t)to;
}

/* Extends the area that ends at `end` by `more` bytes; false if the range is not free. */
static bool grow_in_place(struct vma *vma, uint64_t more)
{
	struct vma *next = vma_next(vma);

	if (!range_ok(vma->end, more) || (next && next->start - vma->end < more))
		return false;
	vma_resize(vma, vma->start, vma->end + more);
	vma_merge(vma->mm, vma->start, vma->end);
	return true;
}

/* Moves the area at [addr, addr + length) to the free range `place`, or the errno, with its new
 * length. */
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
	if (!old_length || !range_ok(addr, old_length) ||
	    !range_ok(fixed ? new_addr : 0, new_length) || addr % bytes ||
	    (fixed && new_addr % bytes) || new_length > old_length ||
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

/* Checks that one area has the range, and may be resized to `new_length`. Returns 0 or a negative
 * errno. No old length: a second area for the pages of a shared one. */
static int check_resize(const struct vma *vma, uint64_t addr, uint64_t old_length,
			uint64_t new_length)
{
	if (!vma || vma->start > addr)
		return -EFAULT;
	if (!old_length && !(vma->flags & MAP_SHARED))
		return -EINVAL;
	if (old_length > vma->end - addr)
		return -EFAULT;
	if (old_length == new_length)
		return 0;
	if (vma->ops && !vma->ops->may_grow)
		return -EFAULT;
	if (vma->flags & VMA_LOCKED && new_length > old_length &&
	    !vm_lock_allowed(new_length - old_length))
		return -EAGAIN;
	return vm_too_much(new_length, vma->prot, vma->flags) ? -ENOMEM : 0;
}

/* Makes a second area that maps the same pages from `addr` on. */
static int64_t duplicate(const struct vma *vma, uint64_t addr, int64_t place, uint64_t length)
{
	if (place >= 0 &&
	    !second_area(vma, (addr - vma->start) / PAGE_SIZE, (uint64_t)place, length))
		return -ENOMEM;
	return place;
}

/* Moves or duplicates the range, whose resize was checked, to `place`. */
static int64_t move_or_duplicate(struct mm *mm, uint64_t addr, uint64_t old_length, int64_t place,
				 uint64_t new_length)
{
	if (!old_length)
		return duplicate(vma_find(mm, addr), addr, place, new_length);
	return move_range(mm, addr, old_length, place, new_length);
}

/* MREMAP_FIXED: first unmaps the target range, and the tail that does not fit. */
static int64_t remap_fixed(struct mm *mm, uint64_t addr, uint64_t old_length, uint64_t new_length,
			   uint64_t to)
{
	int64_t place;
	int err = 0;

	if (to % PAGE_SIZE || !range_ok(to, new_length) || !range_ok(addr, old_length) ||
	    (to < addr + old_length && addr < to + new_length))
		return -EINVAL;
	place = vm_choose_place(mm, to, new_length, MAP_FIXED);
	if (place >= 0 && old_length > new_length) {
		err = vm_clear_range(mm, addr + new_length, addr + old_length);
		old_length = new_length;
	}
	if (!err && place >= 0)
		err = check_resize(vma_find(mm, addr), addr, old_length, new_length);
	return err ? err : move_or_duplicate(mm, addr, old_length, place, new_length);
}

/* Shrinks the range where it is: it may have several areas, and end after the last one. */
static int64_t shrink(struct mm *mm, uint64_t addr, uint64_t old_length, uint64_t new_length)
{
	int err = 0;

	if (!range_ok(addr, old_length))
		return -EINVAL;
	if (old_length > new_length)
		err = vm_clear_range(mm, addr + new_length, addr + old_length);
	return err ? err : (int64_t)addr;
}

static int64_t grow(struct vma *vma, uint64_t addr, uint64_t old_length, uint64_t new_length,
		    bool may_move)
{
	struct mm *mm = vma->mm;
	int err = check_resize(vma, addr, old_length, new_length);

	if (err)
		return err;
	if (vma->end == addr + old_length && grow_in_place(vma, new_length - old_length))
		return (int64_t)addr;
	if (!may_move)
		return -ENOMEM;
	return move_or_duplicate(mm, addr, old_length, vm_choose_place(mm, 0, new_length, 0),
				 new_length);
}

/* Enters the new pages of a locked area that has grown. */
static int64_t enter_grown(struct mm *mm, int64_t addr, uint64_t old_length, uint64_t new_length)
{
	if (addr >= 0 && new_length > old_length &&
	    vm_has_locked(mm, (uint64_t)addr, (uint64_t)addr + new_length))
		vm_lock_enter((uint64_t)addr + old_length, new_length - old_length);
	return addr;
}

int64_t vm_remap(uint64_t addr, uint64_t old_length, uint64_t new_length, uint32_t flags,
		 uint64_t new_addr)
{
	struct mm *mm = current_task()->mm;
	struct vma *vma;

	old_length = round_pages(old_length);
	new_length = round_pages(new_length);
	if (flags & ~(MREMAP_FIXED | MREMAP_MAYMOVE) || addr % PAGE_SIZE || !new_length ||
	    (flags & MREMAP_FIXED && !(flags & MREMAP_MAYMOVE)))
		return -EINVAL;
	vma = vma_find(mm, addr);
	if (!vma || vma->start > addr)
		return -EFAULT;
	if (vma->flags & VMA_HUGE)
		return remap_huge(vma, addr, old_length, new_length, flags, new_addr);
	if (flags & MREMAP_FIXED)
		new_addr = (uint64_t)remap_fixed(mm, addr, old_length, new_length, new_addr);
	else if (old_length >= new_length)
		return shrink(mm, addr, old_length, new_length);
	else
		new_addr =
		    (uint64_t)grow(vma, addr, old_length, new_length, flags & MREMAP_MAYMOVE);
	return enter_grown(mm, (int64_t)new_addr, old_length, new_length);
}
