/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory: mmap(2), munmap(2), mprotect(2), mremap(2), brk(2), madvise(2), msync(2), mincore(2),
 * mlock(2). */
#include <linux/errno.h>
#include <linux/mman.h>
#include "api/calls.h"
#include "arch/x86/paging/paging.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/lock.h"
#include "kernel/vm/vma.h"

long sys_mmap(uint64_t addr, uint64_t length, uint64_t prot, uint64_t flags, uint64_t fd,
	      uint64_t offset)
{
	struct file *file = NULL;
	long result;

	if (offset % PAGE_SIZE)
		return -EINVAL;
	if (!(flags & MAP_ANONYMOUS)) {
		file = fd_get((int)fd);
		if (!file)
			return -EBADF;
	}
	result = vm_map(addr, length, (uint32_t)prot, (uint32_t)flags, file, offset / PAGE_SIZE);
	if (file)
		file_put(file);
	return result;
}

long sys_munmap(uint64_t addr, uint64_t length)
{
	return vm_unmap(addr, length);
}

long sys_mprotect(uint64_t addr, uint64_t length, uint64_t prot)
{
	return vm_protect(addr, length, (uint32_t)prot);
}

/* Protection keys, as on a processor without them. */
long sys_pkey_alloc(uint64_t flags, uint64_t rights)
{
	return flags || rights & ~(uint64_t)(PKEY_DISABLE_ACCESS | PKEY_DISABLE_WRITE) ? -EINVAL
										       : -ENOSPC;
}

long sys_pkey_free(void)
{
	return -EINVAL;
}

long sys_pkey_mprotect(uint64_t addr, uint64_t length, uint64_t prot, uint64_t key)
{
	return (int)key == -1 ? sys_mprotect(addr, length, prot) : -EINVAL;
}

long sys_mremap(uint64_t addr, uint64_t old_length, uint64_t new_length, uint64_t flags,
		uint64_t new_addr)
{
	return vm_remap(addr, old_length, new_length, (uint32_t)flags, new_addr);
}

long sys_brk(uint64_t addr)
{
	return (long)vm_brk(addr);
}

/* Checks the range of a call that works on whole pages: 0, -EINVAL or -ENOMEM. */
static int check_range(uint64_t addr, uint64_t length)
{
	if (addr % PAGE_SIZE || length + PAGE_SIZE - 1 < length)
		return -EINVAL;
	if (length > USER_END || addr > USER_END - length)
		return -ENOMEM;
	return 0;
}

#define MADV_DONTNEED_LOCKED 24 /* Linux 5.18 */

static bool is_advice(uint64_t advice)
{
	return advice <= MADV_WILLNEED || advice == MADV_DONTNEED ||
	       (advice >= MADV_FREE && advice <= MADV_DONTNEED_LOCKED);
}

/* MADV_WIPEONFORK and MADV_KEEPONFORK: only for private anonymous memory. */
static int set_wiping(uint64_t addr, uint64_t length, bool wipe)
{
	struct vma *vma = vma_find(current_task()->mm, addr);

	for (; wipe && vma && vma->start < addr + length; vma = vma_next(vma))
		if (vma->file || vma->flags & (MAP_SHARED | VMA_HUGE))
			return -EINVAL;
	return vm_set_flags(addr, length, wipe ? VMA_WIPE : 0, wipe ? 0 : VMA_WIPE);
}

/* MADV_HUGEPAGE and MADV_NOHUGEPAGE; not for areas with special pages. */
static int advise_huge(uint64_t addr, uint64_t length, bool wanted)
{
	struct vma *vma = vma_find(current_task()->mm, addr);

	for (; vma && vma->start < addr + length; vma = vma_next(vma))
		if (vma->ops)
			return -EINVAL;
	return vm_set_flags(addr, length, wanted ? VMA_THP : VMA_NO_THP,
			    wanted ? VMA_NO_THP : VMA_THP);
}

/* MADV_FREE: not for huge pages. */
static int free_lazily(uint64_t addr, uint64_t length)
{
	struct vma *vma = vma_find(current_task()->mm, addr);

	for (; vma && vma->start < addr + length; vma = vma_next(vma))
		if (vma->flags & VMA_HUGE)
			return -EINVAL;
	return vm_discard(addr, length, false);
}

long sys_madvise(uint64_t addr, uint64_t length, uint64_t advice)
{
	int err = is_advice(advice) ? check_range(addr, length) : -EINVAL;

	if (err)
		return err == -ENOMEM ? -EINVAL : err;
	if (!length)
		return 0;
	switch (advice) {
	case MADV_DONTNEED:
	case MADV_DONTNEED_LOCKED:
		return vm_discard(addr, length, advice == MADV_DONTNEED_LOCKED);
	case MADV_FREE:
		return free_lazily(addr, length);
	case MADV_DONTFORK:
	case MADV_DOFORK:
		return vm_set_flags(addr, length, advice == MADV_DONTFORK ? VMA_DONTCOPY : 0,
				    advice == MADV_DONTFORK ? 0 : VMA_DONTCOPY);
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
		return advise_huge(addr, length, advice == MADV_HUGEPAGE);
	case MADV_WIPEONFORK:
	case MADV_KEEPONFORK:
		return set_wiping(addr, length, advice == MADV_WIPEONFORK);
	case MADV_DONTDUMP:
		return vm_set_flags(addr, length, VMA_DONTDUMP, 0);
	case MADV_DODUMP:
		return vm_set_flags(addr, length, 0, VMA_DONTDUMP);
	case MADV_WILLNEED:
	case MADV_POPULATE_READ:
	case MADV_POPULATE_WRITE:
		if (!vm_is_mapped(current_task()->mm, addr, length))
			return -ENOMEM;
		vm_populate(addr, length);
		return 0;
	case MADV_NORMAL:
	case MADV_RANDOM:
	case MADV_SEQUENTIAL:
	case MADV_MERGEABLE:
	case MADV_UNMERGEABLE:
	case MADV_COLD:
	case MADV_PAGEOUT:
		return vm_is_mapped(current_task()->mm, addr, length) ? 0 : -ENOMEM;
	default:
		return -EINVAL;
	}
}

long sys_msync(uint64_t addr, uint64_t length, uint64_t flags)
{
	int err = check_range(addr, length);

	if (flags & ~(uint64_t)(MS_ASYNC | MS_INVALIDATE | MS_SYNC) ||
	    (flags & MS_ASYNC && flags & MS_SYNC))
		return -EINVAL;
	if (err)
		return err;
	if (flags & MS_INVALIDATE && vm_has_locked(current_task()->mm, addr, addr + length))
		return -EBUSY;
	return !length || vm_is_mapped(current_task()->mm, addr, length) ? 0 : -ENOMEM;
}

#define MINCORE_AT_ONCE 256 /* pages that are looked at without a pause */

long sys_mincore(uint64_t addr, uint64_t length, uint64_t vector)
{
	struct mm *mm = current_task()->mm;
	uint8_t there[MINCORE_AT_ONCE];
	uint64_t nr = (length + PAGE_SIZE - 1) / PAGE_SIZE;
	struct paging_entry entry;
	int err = check_range(addr, length);

	if (err)
		return err;
	if (length && !vm_is_mapped(mm, addr, length))
		return -ENOMEM;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t n = i % MINCORE_AT_ONCE;

		there[n] = paging_query(mm->root_phys, addr + i * PAGE_SIZE, &entry);
		if (n < MINCORE_AT_ONCE - 1 && i < nr - 1)
			continue;
		if (copy_to_user(vector + i - n, there, n + 1))
			return -EFAULT;
		if (!sched_pause())
			return -EINTR;
	}
	return 0;
}

/* Rounds the range of mlock(2) to pages: 0 or -EINVAL. */
static int round_range(uint64_t *addr, uint64_t *length)
{
	*length += *addr % PAGE_SIZE;
	*addr &= -PAGE_SIZE;
	if (check_range(*addr, *length))
		return -EINVAL;
	*length = (*length + PAGE_SIZE - 1) & -PAGE_SIZE;
	return 0;
}

static long lock_range(uint64_t addr, uint64_t length, bool on_fault)
{
	int err = round_range(&addr, &length);

	return err ? err : vm_lock(addr, length, on_fault);
}

long sys_mlock(uint64_t addr, uint64_t length)
{
	return lock_range(addr, length, false);
}

long sys_mlock2(uint64_t addr, uint64_t length, uint64_t flags)
{
	return flags & ~MLOCK_ONFAULT ? -EINVAL : lock_range(addr, length, flags & MLOCK_ONFAULT);
}

long sys_munlock(uint64_t addr, uint64_t length)
{
	int err = round_range(&addr, &length);

	return err ? err : vm_unlock(addr, length);
}

long sys_mlockall(uint64_t flags)
{
	const uint64_t known = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;

	return !flags || flags & ~known || flags == MCL_ONFAULT ? -EINVAL : vm_lock_all(flags);
}

long sys_munlockall(void)
{
	vm_unlock_all();
	return 0;
}
