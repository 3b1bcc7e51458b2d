/* SPDX-License-Identifier: BSD-2-Clause */
/* Locked memory: mlock(2), mlockall(2). */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include "kernel/task/membership/cred.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/lock.h"
#include "kernel/vm/range.h"
#include "kernel/vm/vma.h"

#define AREAS_AT_ONCE 256 /* without a pause */

static uint64_t limit_bytes(void)
{
	return current_task()->process->limits[RLIMIT_MEMLOCK][0];
}

/* True if the current task may lock memory at all. */
static bool may_lock(void)
{
	return limit_bytes() || capable(CAP_IPC_LOCK);
}

/* Returns the locked bytes of [start, end). */
static uint64_t locked_bytes(struct mm *mm, uint64_t start, uint64_t end)
{
	uint64_t bytes = 0;

	for (struct vma *vma = vma_find(mm, start); vma && vma->start < end; vma = vma_next(vma))
		if (vma->flags & VMA_LOCKED)
			bytes += (vma->end < end ? vma->end : end) -
				 (vma->start > start ? vma->start : start);
	return bytes;
}

bool vm_lock_allowed(uint64_t bytes)
{
	return capable(CAP_IPC_LOCK) || current_task()->mm->bytes.locked + bytes <= limit_bytes();
}

/* Locked as Linux's special areas: never counted. */
static bool is_special(const struct vma *vma)
{
	return vma->flags & (VMA_HUGE | VMA_DEVICE | VMA_VDSO | VMA_VVAR) ||
	       (vma->ops && !vma->ops->may_grow);
}

/* Marks a number of areas from `start` on; returns where the next one starts, at most `end`. */
static uint64_t set_some(struct mm *mm, uint64_t start, uint64_t end, bool locked)
{
	struct vma *vma = vma_find(mm, start);

	for (unsigned i = 0; vma && vma->start < end; i++, vma = vma_next(vma)) {
		if (i == AREAS_AT_ONCE)
			return vma->start;
		vma_change(vma, vma->prot,
			   (vma->flags & ~VMA_LOCKED) |
			       (locked && !is_special(vma) ? VMA_LOCKED : 0));
	}
	return end;
}

/* Other tasks run between the parts. */
static void set_locked(struct mm *mm, uint64_t start, uint64_t end, bool locked)
{
	while (start < end) {
		uint64_t part = set_some(mm, start, end, locked);

		vma_merge(mm, start, part);
		start = part;
		if (start < end)
			sched_pause();
	}
}

static int lock_range(uint64_t addr, uint64_t length, bool locked)
{
	struct mm *mm = current_task()->mm;
	int err = vma_isolate(mm, addr, addr + length);

	if (err)
		return err;
	set_locked(mm, addr, addr + length, locked);
	return vm_is_mapped(mm, addr, length) ? 0 : -ENOMEM;
}

int vm_lock(uint64_t addr, uint64_t length, bool on_fault)
{
	struct mm *mm = current_task()->mm;
	int err;

	if (!may_lock())
		return -EPERM;
	if (!length)
		return 0;
	if (!vm_lock_allowed(length - locked_bytes(mm, addr, addr + length)))
		return -ENOMEM;
	err = lock_range(addr, length, true);
	if (!err && !on_fault)
		vm_populate(addr, length);
	return err;
}

int vm_unlock(uint64_t addr, uint64_t length)
{
	return length ? lock_range(addr, length, false) : 0;
}

/* Enters the pages of all locked areas; other tasks may change the areas between two of them. */
static void enter_all(struct mm *mm)
{
	uint64_t at = 0;
	struct vma *vma;

	while ((vma = vma_find(mm, at))) {
		at = vma->end;
		if (vma->flags & VMA_LOCKED)
			vm_populate(vma->start, at - vma->start);
		sched_pause();
	}
}

int vm_lock_all(uint64_t flags)
{
	struct mm *mm = current_task()->mm;

	if (!may_lock())
		return -EPERM;
	if (flags & MCL_CURRENT && !capable(CAP_IPC_LOCK) && mm->bytes.total > limit_bytes())
		return -ENOMEM;
	mm->lock_new = flags & MCL_FUTURE ? (uint32_t)flags : 0;
	if (flags & MCL_CURRENT)
		set_locked(mm, 0, USER_END, true);
	if (flags & MCL_CURRENT && !(flags & MCL_ONFAULT))
		enter_all(mm);
	return 0;
}

void vm_unlock_all(void)
{
	struct mm *mm = current_task()->mm;

	mm->lock_new = 0;
	set_locked(mm, 0, USER_END, false);
}

_Static_assert(VMA_LOCKED == MAP_LOCKED, "vm_lock_new()");

int vm_lock_new(uint32_t *flags, uint64_t bytes)
{
	if (*flags & MAP_LOCKED && !may_lock())
		return -EPERM;
	if (current_task()->mm->lock_new)
		*flags |= VMA_LOCKED;
	return !(*flags & VMA_LOCKED) || vm_lock_allowed(bytes) ? 0 : -EAGAIN;
}

void vm_lock_check(struct vma *vma)
{
	if (is_special(vma))
		vma_change(vma, vma->prot, vma->flags & ~VMA_LOCKED);
}

void vm_lock_enter(uint64_t addr, uint64_t length)
{
	if (!(current_task()->mm->lock_new & MCL_ONFAULT))
		vm_populate(addr, length);
}

bool vm_has_locked(struct mm *mm, uint64_t addr, uint64_t end)
{
	return locked_bytes(mm, addr, end);
}
