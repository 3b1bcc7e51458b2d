/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the current address space: mmap, munmap, mprotect, brk and similar calls. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/hooks.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/fs/regular.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/device_area.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/lock.h"
#include "kernel/vm/range.h"

static struct mm *current_mm(void)
{
	return current_task()->mm;
}

int vm_clear_range(struct mm *mm, uint64_t start, uint64_t end)
{
	struct vma *vma, *next;
	int err = vma_isolate(mm, start, end);

	if (err)
		return err;
	for (vma = vma_find(mm, start); vma && vma->start < end; vma = next) {
		next = vma_next(vma);
		vma_drop_pages(vma, vma->start, vma->end);
		vma_free(vma);
	}
	vma_drop_tables(mm, start, end);
	return 0;
}

/* As vm_clear_range(), but other tasks run in between if the range is large. */
static int unmap_in_parts(struct mm *mm, uint64_t start, uint64_t end)
{
	while (vma_many(mm, start, end)) {
		uint64_t part = vma_part(mm, start, end);

		if (part == end || vm_clear_range(mm, start, part))
			break; /* an area more is not always to be had: the rest at once */
		start = part;
		if (!sched_pause())
			return -EINTR;
	}
	return vm_clear_range(mm, start, end);
}

int vm_unmap(uint64_t addr, uint64_t length)
{
	length = round_pages(length);
	if (addr % PAGE_SIZE || !length || !range_ok(addr, length))
		return -EINVAL;
	return unmap_in_parts(current_mm(), addr, addr + length);
}

bool vm_too_much(uint64_t length, uint32_t prot, uint32_t flags)
{
	return prot & PROT_WRITE && !(flags & (MAP_SHARED | MAP_NORESERVE)) &&
	       length / PAGE_SIZE > memory_total_pages();
}

/* Addresses of 31 bits: MAP_32BIT, from the second GiB as on Linux. */
#define LOW_BEGIN (1ul << 30)
#define LOW_END   (2ul << 30)

int64_t vm_choose_place(struct mm *mm, uint64_t addr, uint64_t length, uint32_t flags)
{
	bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	uint64_t align = flags & MAP_HUGETLB ? huge_bytes_requested(flags) : PAGE_SIZE;
	struct vma *there;
	int err;

	if (fixed && addr % align)
		return -EINVAL;
	if (fixed && !range_ok(addr, length))
		return -ENOMEM;
	if (fixed && addr < VM_LOWEST)
		return -EPERM;
	addr = (addr + (align - PAGE_SIZE)) & -align;
	if (fixed || (addr >= VM_LOWEST && range_ok(addr, length))) {
		there = vma_find(mm, addr);
		if (!there || there->start >= addr + length)
			return (int64_t)addr;
		if (flags & MAP_FIXED_NOREPLACE)
			return -EEXIST;
		if (flags & MAP_FIXED) {
			/* Other threads must see either the old or the new mapping, without a
			 * gap. */
			err = (mm->refs == 1 ? unmap_in_parts : vm_clear_range)(mm, addr,
										addr + length);
			if (err)
				return err == -EINVAL ? -ENOMEM : err;
			return (int64_t)addr;
		}
	}
	addr = vma_gap(mm, length + align - PAGE_SIZE, flags & MAP_32BIT ? LOW_END : VM_MMAP_TOP);
	addr = (addr + align - 1) & -align;
	return addr >= (flags & MAP_32BIT ? LOW_BEGIN : VM_LOWEST) ? (int64_t)addr : -ENOMEM;
}

/* Checks the mapping against the file's access mode and kind: 0 or a negative errno. */
static int check_file(const struct file *file, uint32_t prot, uint32_t type)
{
	uint32_t access = file->flags & O_ACCMODE;

	if (file->flags & O_PATH)
		return -EBADF;
	if (!file_reads(file))
		return -EACCES;
	if (type != MAP_PRIVATE && prot & PROT_WRITE && access != O_RDWR)
		return -EACCES;
	return file->ops->mmap ? 0 : -ENODEV;
}

/* The flags that MAP_SHARED_VALIDATE accepts, of memory that keeps nothing over a power failure. */
#define MAP_KNOWN                                                                                \
	(MAP_TYPE | MAP_FIXED | MAP_ANONYMOUS | MAP_32BIT | MAP_GROWSDOWN | MAP_DENYWRITE |      \
	 MAP_EXECUTABLE | MAP_LOCKED | MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_STACK | \
	 MAP_HUGETLB | MAP_FIXED_NOREPLACE | (uint32_t)MAP_HUGE_MASK << MAP_HUGE_SHIFT)

static int check_flags(uint32_t flags, struct file *file)
{
	uint32_t type = flags & MAP_TYPE;

	if (type != MAP_SHARED && type != MAP_PRIVATE && !(type == MAP_SHARED_VALIDATE && file))
		return -EINVAL;
	if (type == MAP_SHARED_VALIDATE && flags & ~MAP_KNOWN)
		return -EOPNOTSUPP;
	return 0;
}

void vm_merge_and_report(struct mm *mm, uint64_t start, uint64_t end)
{
	vma_merge(mm, start, end);
	if (perf_hooks.mmap)
		perf_hooks.mmap(vma_find(mm, start));
}

/* Makes the area and calls its owner's hook: 0 or a negative errno. */
static int map_at(uint64_t place, uint64_t length, uint32_t prot, uint32_t flags, struct file *file,
		  uint64_t pgoff)
{
	uint32_t type = flags & MAP_TYPE;
	uint32_t kind = (type == MAP_PRIVATE ? MAP_PRIVATE : MAP_SHARED) | (flags & VMA_LOCKED);
	struct vma *vma = vma_new(current_mm(), place, place + length,
				  prot & (PROT_READ | PROT_WRITE | PROT_EXEC), kind, file, pgoff);
	int err;

	if (!vma)
		return -ENOMEM;
	if (flags & MAP_HUGETLB)
		err = huge_open(vma, flags);
	else
		err = file ? file->ops->mmap(file, vma) : 0;
	if (err) {
		vma_free(vma);
		return err;
	}
	vm_lock_check(vma);
	vm_merge_and_report(current_mm(), place, place + length);
	return 0;
}

/* Rounds the length up to pages of the mapping's size. */
static int map_length(uint64_t *length, uint32_t flags, const struct file *file)
{
	if (flags & MAP_HUGETLB) {
		uint64_t bytes = huge_bytes_requested(flags);

		if (file || !bytes)
			return -EINVAL;
		*length = (*length + bytes - 1) & -bytes;
	}
	if (!*length)
		return -EINVAL;
	*length = round_pages(*length);
	return *length && range_ok(0, *length) ? 0 : -ENOMEM;
}

static int check_map(uint64_t length, uint32_t prot, uint32_t *flags, struct file *file,
		     uint64_t pgoff)
{
	int err;

	if (file && pgoff > (UINT64_MAX - length) / PAGE_SIZE)
		return -EOVERFLOW;
	if (vm_too_much(length, prot, *flags))
		return -ENOMEM;
	err = check_flags(*flags, file);
	if (!err && file)
		err = check_file(file, prot, *flags & MAP_TYPE);
	return err ? err : vm_lock_new(flags, length);
}

static int64_t map_somewhere(uint64_t addr, uint64_t length, uint32_t prot, uint32_t flags,
			     struct file *file, uint64_t pgoff)
{
	int64_t place = vm_choose_place(current_mm(), addr, length, flags);
	int err = place < 0 ? 0 : map_at((uint64_t)place, length, prot, flags, file, pgoff);

	return err ? err : place;
}

/* Shared memory without a file gets one of its own. */
static int64_t map_shared(uint64_t addr, uint64_t length, uint32_t prot, uint32_t flags)
{
	struct file *file = shared_memory_file(length);
	int64_t place;

	if (!file)
		return -ENOMEM;
	place = map_somewhere(addr, length, prot, flags, file, 0);
	file_put(file);
	return place;
}

int64_t vm_map(uint64_t addr, uint64_t length, uint32_t prot, uint32_t flags, struct file *file,
	       uint64_t pgoff)
{
	int64_t place;
	int err = map_length(&length, flags, file);

	if (!err)
		err = check_map(length, prot, &flags, file, pgoff);
	if (err)
		return err;
	if (!file && (flags & MAP_TYPE) == MAP_SHARED && !(flags & MAP_HUGETLB))
		place = map_shared(addr, length, prot, flags);
	else
		place = map_somewhere(addr, length, prot, flags, file, file ? pgoff : 0);
	if (place < 0)
		return place;
	if (flags & MAP_POPULATE)
		vm_populate((uint64_t)place, length);
	else if (flags & VMA_LOCKED)
		vm_lock_enter((uint64_t)place, length);
	return place;
}

/* Number of pages to enter without a pause. */
#define POPULATE_AT_ONCE 256

void vm_populate(uint64_t addr, uint64_t length)
{
	struct mm *mm = current_mm();
	struct vma *vma = vma_find(mm, addr);
	struct paging_entry entry;
	enum fault_result result = FAULT_DONE;
	unsigned entered = 0;

	for (uint64_t at = addr; vma && at < addr + length; at += PAGE_SIZE) {
		if (++entered % POPULATE_AT_ONCE == 0) {
			sched_pause();
			vma = vma_find(mm, at);
		}
		if (vma && at >= vma->end)
			vma = vma_find(mm, at);
		if (vma && vma->start > at)
			at = vma->start;
		else if (vma && !paging_query(mm->root_phys, at, &entry))
			result = vm_fault(mm, at, vma->prot & PROT_WRITE ? FAULT_WRITE : 0);
		if (result == FAULT_AGAIN) {
			at -= PAGE_SIZE;
			entered = POPULATE_AT_ONCE - 1;
			result = FAULT_DONE;
		}
		if (result != FAULT_DONE || signal_pending(current_task()))
			break;
	}
}

/* Frees the pages of a part with few pages. 0 or -EINVAL. */
static int discard_part(struct mm *mm, uint64_t addr, uint64_t end, bool locked)
{
	struct vma *vma;

	for (vma = vma_find(mm, addr); vma && vma->start < end; vma = vma_next(vma)) {
		uint64_t from = vma->start > addr ? vma->start : addr,
			 to = vma->end < end ? vma->end : end;

		if (vma->flags & VMA_HUGE) {
			if (from % huge_bytes_of(vma))
				return -EINVAL;
			to &= -huge_bytes_of(vma); /* a part of a page is kept */
		}
		if (vma->flags & VMA_DEVICE || (vma->flags & VMA_LOCKED && !locked))
			return -EINVAL;
		vma_drop_pages(vma, from, to);
	}
	return 0;
}

/* Other tasks run between the parts. */
int vm_discard(uint64_t addr, uint64_t length, bool locked)
{
	struct mm *mm = current_mm();
	uint64_t end = addr + round_pages(length), part;
	bool mapped = vm_is_mapped(mm, addr, end - addr);

	for (uint64_t start = addr; start < end; start = part) {
		int err;

		part = vma_part(mm, start, end);
		err = discard_part(mm, start, part, locked);
		if (!err && part < end && !sched_pause())
			err = -EINTR;
		if (err)
			return err;
	}
	return mapped ? 0 : -ENOMEM;
}

/* Unmaps pages of the file from `first` on in an address space. */
static void cut_areas(struct mm *mm, const struct inode *inode, uint64_t first)
{
	struct vma *vma;

	list_for_each(vma, &mm->vmas, link) {
		uint64_t pages = (vma->end - vma->start) / PAGE_SIZE;
		uint64_t keep = first > vma->pgoff ? first - vma->pgoff : 0;

		if (!vma->ops && vma->file && vma->file->inode == inode && keep < pages)
			vma_drop_pages(vma, vma->start + keep * PAGE_SIZE, vma->end);
	}
}

/* Unmaps them in all address spaces. */
static void vm_cut_file(const struct inode *inode, uint64_t first)
{
	static uint64_t serial;
	struct task *task;

	if (!inode->mapped)
		return;
	serial++;
	list_for_each(task, &all_tasks, task_link) {
		if (!task->mm || task->mm->cut == serial)
			continue;
		task->mm->cut = serial; /* one look at it is enough, however many share it */
		cut_areas(task->mm, inode, first);
		if (task->mm->copy)
			cut_areas(task->mm->copy, inode, first);
	}
}

void vm_init(void)
{
	inode_cut_hook = vm_cut_file;
}

int vm_set_flags(uint64_t addr, uint64_t length, uint32_t set, uint32_t clear)
{
	struct mm *mm = current_mm();
	uint64_t end = addr + round_pages(length);
	int err = vma_isolate(mm, addr, end);
	struct vma *vma;

	if (err)
		return err;
	for (vma = vma_find(mm, addr); vma && vma->start < end; vma = vma_next(vma))
		vma_change(vma, vma->prot, (vma->flags & ~clear) | set);
	vma_merge(mm, addr, end);
	return vm_is_mapped(mm, addr, end - addr) ? 0 : -ENOMEM;
}

uint64_t vm_brk(uint64_t addr)
{
	struct mm *mm = current_mm();
	uint64_t old_end = round_pages(mm->brk), end = round_pages(addr);
	struct vma *there, *vma;
	uint32_t flags = 0;

	if (addr < mm->brk_start || !range_ok(0, end) ||
	    vm_too_much(end - mm->brk_start, PROT_WRITE, 0))
		return mm->brk;
	if (end < old_end) {
		uint64_t old = mm->brk;

		mm->brk = addr; /* as others see it who run in between */
		if (unmap_in_parts(mm, end, old_end))
			return mm->brk = old;
	} else if (end > old_end) {
		there = vma_find(mm, old_end);
		if ((there && there->start < end) || vm_lock_new(&flags, end - old_end))
			return mm->brk;
		vma = vma_new(mm, old_end, end, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | VMA_HEAP | flags, NULL, 0);
		if (!vma)
			return mm->brk;
		vm_merge_and_report(mm, old_end, end);
	}
	mm->brk = addr;
	if (flags)
		vm_lock_enter(old_end, end - old_end);
	return addr;
}
