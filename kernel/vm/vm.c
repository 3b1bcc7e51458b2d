/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of the current address space: mmap, munmap, mprotect, brk and what is like them. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/stat.h>
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/traps.h"
#include "kernel/fs/file.h"
#include "kernel/base/hooks.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/signal.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vma.h"

static struct mm *current_mm(void)
{
	return current_task()->mm;
}

/* Rounds up to pages; 0 when that overflows or for 0. */
static uint64_t round_pages(uint64_t length)
{
	return (length + PAGE_SIZE - 1) & -PAGE_SIZE;
}

static bool range_ok(uint64_t addr, uint64_t length)
{
	return length <= USER_END && addr <= USER_END - length;
}

/* Removes whatever lies in the range. */
static int unmap_range(struct mm *mm, uint64_t start, uint64_t end)
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
	return 0;
}

/* The same as unmap_range(); others run in between when there is much. */
static int unmap_in_parts(struct mm *mm, uint64_t start, uint64_t end)
{
	while (vma_many(mm)) {
		uint64_t part = vma_part(mm, start, end);

		if (part == end || unmap_range(mm, start, part))
			break; /* an area more is not always to be had: the rest at once */
		start = part;
		if (!sched_pause())
			return -EINTR;
	}
	return unmap_range(mm, start, end);
}

int vm_unmap(uint64_t addr, uint64_t length)
{
	length = round_pages(length);
	if (addr % PAGE_SIZE || !length || !range_ok(addr, length))
		return -EINVAL;
	return unmap_in_parts(current_mm(), addr, addr + length);
}

/* Memory that could never be there is refused, as Linux does unless told to overcommit. */
static bool too_much(uint64_t length, uint32_t prot, uint32_t flags)
{
	return prot & PROT_WRITE && !(flags & (MAP_SHARED | MAP_NORESERVE)) &&
	       length / PAGE_SIZE > memory_total_pages();
}

/* Addresses of 31 bits: MAP_32BIT, from the second GiB as on Linux. */
#define LOW_BEGIN (1ul << 30)
#define LOW_END   (2ul << 30)

/* Where the mapping goes: an address or a negative errno. Clears the place for MAP_FIXED. */
static int64_t choose_place(struct mm *mm, uint64_t addr, uint64_t length, uint32_t flags)
{
	bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	struct vma *there;
	int err;

	if (fixed && addr % PAGE_SIZE)
		return -EINVAL;
	if (fixed && !range_ok(addr, length))
		return -ENOMEM;
	if (fixed && addr < VM_LOWEST)
		return -EPERM;
	addr &= -PAGE_SIZE;
	if (fixed || (addr >= VM_LOWEST && range_ok(addr, length))) {
		there = vma_find(mm, addr);
		if (!there || there->start >= addr + length)
			return (int64_t)addr;
		if (flags & MAP_FIXED_NOREPLACE)
			return -EEXIST;
		if (flags & MAP_FIXED) {
			/* Other threads may find either what was there or what comes, no gap. */
			err =
			    (mm->refs == 1 ? unmap_in_parts : unmap_range)(mm, addr, addr + length);
			return err ? err : (int64_t)addr;
		}
	}
	addr = vma_gap(mm, length, flags & MAP_32BIT ? LOW_END : VM_MMAP_TOP);
	return addr >= (flags & MAP_32BIT ? LOW_BEGIN : VM_LOWEST) ? (int64_t)addr : -ENOMEM;
}

/* What the file's access mode and kind allow: 0 or a negative errno. */
static int check_file(const struct file *file, uint32_t prot, uint32_t type)
{
	uint32_t access = file->flags & O_ACCMODE;

	if (file->flags & O_PATH)
		return -EBADF;
	if (access == O_WRONLY)
		return -EACCES;
	if (type != MAP_PRIVATE && prot & PROT_WRITE && access != O_RDWR)
		return -EACCES;
	return file->ops->mmap ? 0 : -ENODEV;
}

static int check_flags(uint32_t flags, struct file *file)
{
	uint32_t type = flags & MAP_TYPE;

	if (type != MAP_SHARED && type != MAP_PRIVATE && !(type == MAP_SHARED_VALIDATE && file))
		return -EINVAL;
	if (type == MAP_SHARED_VALIDATE && flags & MAP_SYNC)
		return -EOPNOTSUPP;
	if (flags & MAP_HUGETLB)
		return file ? -EINVAL : -ENOMEM; /* there are no huge pages */
	return 0;
}

/* Makes the area and tells its file of it: 0 or a negative errno. */
static int map_at(uint64_t place, uint64_t length, uint32_t prot, uint32_t type, struct file *file,
		  uint64_t pgoff)
{
	struct vma *vma = vma_new(current_mm(), place, place + length,
				  prot & (PROT_READ | PROT_WRITE | PROT_EXEC),
				  type == MAP_PRIVATE ? MAP_PRIVATE : MAP_SHARED, file, pgoff);
	int err;

	if (!vma)
		return -ENOMEM;
	err = file ? file->ops->mmap(file, vma) : 0;
	if (err) {
		vma_free(vma);
		return err;
	}
	if (perf_hooks.mmap)
		perf_hooks.mmap(vma);
	vma_merge(current_mm(), place, place + length);
	return 0;
}

int64_t vm_map(uint64_t addr, uint64_t length, uint32_t prot, uint32_t flags, struct file *file,
	       uint64_t pgoff)
{
	uint32_t type = flags & MAP_TYPE;
	struct file *shared = NULL;
	int64_t place;
	int err;

	if (!length)
		return -EINVAL;
	length = round_pages(length);
	if (!length || !range_ok(0, length))
		return -ENOMEM;
	if (file && pgoff > (UINT64_MAX - length) / PAGE_SIZE)
		return -EOVERFLOW;
	if (too_much(length, prot, flags))
		return -ENOMEM;
	err = check_flags(flags, file);
	if (!err && file)
		err = check_file(file, prot, type);
	if (err)
		return err;
	if (!file && type == MAP_SHARED) {
		shared = shared_memory_file(length);
		if (!shared)
			return -ENOMEM;
	}
	place = choose_place(current_mm(), addr, length, flags);
	err = place < 0 ? (int)place
			: map_at((uint64_t)place, length, prot, type, shared ? shared : file,
				 file ? pgoff : 0);
	if (shared)
		file_put(shared);
	if (err)
		return err;
	if (flags & (MAP_POPULATE | MAP_LOCKED))
		vm_populate((uint64_t)place, length);
	return place;
}

/* Pages that are entered without a pause. */
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
		if (result != FAULT_DONE || signal_pending(current_task()))
			break;
	}
}

/* Gives the pages of an area what its new protection allows. */
static void reprotect_pages(struct vma *vma)
{
	uint64_t root = vma->mm->root_phys;
	struct paging_entry entry;

	for (uint64_t addr = paging_next(root, vma->start, vma->end); addr < vma->end;
	     addr = paging_next(root, addr + PAGE_SIZE, vma->end)) {
		bool own = vma->flags & MAP_SHARED && !vma->ops;

		/* A private page may be shared with another process or the file, an owner may
		 * refuse: let the next write find out. */
		if (!own && paging_query(root, addr, &entry))
			own = entry.prot & PAGING_WRITE;
		paging_protect(root, addr, vma_paging(vma, own));
	}
	paging_flush_others(root, vma->start, vma->end);
}

#define PROT_GROWS (PROT_GROWSDOWN | PROT_GROWSUP)

/* PROT_GROWSDOWN: the change begins where the stack's area does. No area grows up. */
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

int vm_protect(uint64_t addr, uint64_t length, uint32_t prot)
{
	struct mm *mm = current_mm();
	uint32_t grows = prot & PROT_GROWS;
	struct vma *vma;
	bool changes = false;
	uint64_t end;
	int err;

	length = round_pages(length);
	prot &= ~PROT_GROWS;
	if (addr % PAGE_SIZE || prot & ~(PROT_READ | PROT_WRITE | PROT_EXEC) || grows == PROT_GROWS)
		return -EINVAL;
	if (!length)
		return 0;
	if (range_ok(addr, length)) {
		err = widen_to_stack(mm, &addr, &length, grows);
		if (err)
			return err;
	}
	if (!range_ok(addr, length) || !vm_is_mapped(mm, addr, length))
		return -ENOMEM;
	end = addr + length;
	for (vma = vma_find(mm, addr); vma && vma->start < end; vma = vma_next(vma)) {
		changes |= vma->prot != prot;
		if (vma->flags & VMA_VVAR && prot & (PROT_WRITE | PROT_EXEC))
			return -EACCES;
		if (vma->flags & MAP_SHARED && prot & PROT_WRITE && vma->file &&
		    ((vma->file->flags & O_ACCMODE) != O_RDWR || vma->flags & VMA_SEALED))
			return -EACCES;
	}
	if (!changes)
		return 0;
	err = vma_isolate(mm, addr, end);
	if (err)
		return err;
	for (vma = vma_find(mm, addr); vma && vma->start < end; vma = vma_next(vma)) {
		vma->prot = prot;
		reprotect_pages(vma);
		if (perf_hooks.mmap)
			perf_hooks.mmap(vma);
	}
	vma_merge(mm, addr, end);
	return 0;
}

int vm_discard(uint64_t addr, uint64_t length)
{
	struct mm *mm = current_mm();
	uint64_t end = addr + round_pages(length);
	struct vma *vma;

	for (vma = vma_find(mm, addr); vma && vma->start < end; vma = vma_next(vma))
		vma_drop_pages(vma, vma->start > addr ? vma->start : addr,
			       vma->end < end ? vma->end : end);
	return vm_is_mapped(mm, addr, end - addr) ? 0 : -ENOMEM;
}

/* Areas that show pages of the file from `first` on lose them. */
static void vm_cut_file(const struct inode *inode, uint64_t first)
{
	static uint64_t serial;
	struct task *task;
	struct vma *vma;

	if (!inode->mapped)
		return;
	serial++;
	list_for_each(task, &all_tasks, task_link) {
		if (!task->mm || task->mm->cut == serial)
			continue;
		task->mm->cut = serial; /* one look at it is enough, however many share it */
		list_for_each(vma, &task->mm->vmas, link) {
			uint64_t pages = (vma->end - vma->start) / PAGE_SIZE;
			uint64_t keep = first > vma->pgoff ? first - vma->pgoff : 0;

			if (!vma->ops && vma->file && vma->file->inode == inode && keep < pages)
				vma_drop_pages(vma, vma->start + keep * PAGE_SIZE, vma->end);
		}
	}
}

void vm_init(void)
{
	inode_cut_hook = vm_cut_file;
}

int vm_set_flag(uint64_t addr, uint64_t length, uint32_t flag, bool on)
{
	struct mm *mm = current_mm();
	uint64_t end = addr + round_pages(length);
	int err = vma_isolate(mm, addr, end);
	struct vma *vma;

	if (err)
		return err;
	for (vma = vma_find(mm, addr); vma && vma->start < end; vma = vma_next(vma))
		vma->flags = on ? vma->flags | flag : vma->flags & ~flag;
	vma_merge(mm, addr, end);
	return vm_is_mapped(mm, addr, end - addr) ? 0 : -ENOMEM;
}

uint64_t vm_brk(uint64_t addr)
{
	struct mm *mm = current_mm();
	uint64_t old_end = round_pages(mm->brk), end = round_pages(addr);
	struct vma *there, *vma;

	if (addr < mm->brk_start || !range_ok(0, end) ||
	    too_much(end - mm->brk_start, PROT_WRITE, 0))
		return mm->brk;
	if (end < old_end) {
		if (unmap_range(mm, end, old_end))
			return mm->brk;
	} else if (end > old_end) {
		there = vma_find(mm, old_end);
		if (there && there->start < end)
			return mm->brk;
		vma = vma_new(mm, old_end, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | VMA_HEAP,
			      NULL, 0);
		if (!vma)
			return mm->brk;
		if (perf_hooks.mmap)
			perf_hooks.mmap(vma);
		vma_merge(mm, old_end, end);
	}
	mm->brk = addr;
	return addr;
}

/* mremap. */

/* Moves the pages that are there, with their protection. Returns 0 or -ENOMEM. */
static int move_pages(struct mm *mm, uint64_t from, uint64_t to, uint64_t length)
{
	struct paging_entry entry;

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

/* Moves the area `vma` (exactly what is remapped) to `to` with its new length. */
static int64_t move_area(struct vma *vma, uint64_t to, uint64_t new_length)
{
	struct mm *mm = vma->mm;
	uint64_t length = vma->end - vma->start;
	struct vma *moved =
	    vma_new(mm, to, to + new_length, vma->prot, vma->flags, vma->file, vma->pgoff);

	if (!moved)
		return -ENOMEM;
	if (move_pages(mm, vma->start, to, length < new_length ? length : new_length)) {
		move_pages(mm, to, vma->start, length);
		vma_free(moved);
		return -ENOMEM;
	}
	vma_drop_pages(vma, vma->start, vma->end);
	vma_free(vma);
	if (perf_hooks.mmap)
		perf_hooks.mmap(moved);
	return (int64_t)to;
}

/* Lets the area at [.., end) grow by `more` bytes where it is; false when something is in the way.
 */
static bool grow_in_place(struct vma *vma, uint64_t more)
{
	struct vma *next = vma_next(vma);

	if (!range_ok(vma->end, more) || (next && next->start - vma->end < more))
		return false;
	vma_resize(vma, vma->start, vma->end + more);
	return true;
}

int64_t vm_remap(uint64_t addr, uint64_t old_length, uint64_t new_length, uint32_t flags,
		 uint64_t new_addr)
{
	struct mm *mm = current_mm();
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
	if (vma->ops)
		return new_length > old_length ? -EFAULT : -EINVAL;
	if (too_much(new_length, vma->prot, vma->flags))
		return -ENOMEM;
	if (!(flags & MREMAP_FIXED)) {
		if (new_length <= old_length) {
			err = new_length < old_length
				  ? unmap_range(mm, addr + new_length, addr + old_length)
				  : 0;
			return err ? err : (int64_t)addr;
		}
		if (vma->end == addr + old_length && grow_in_place(vma, new_length - old_length))
			return (int64_t)addr;
		if (!(flags & MREMAP_MAYMOVE))
			return -ENOMEM;
	}
	place = choose_place(mm, flags & MREMAP_FIXED ? new_addr : 0, new_length,
			     flags & MREMAP_FIXED ? MAP_FIXED : 0);
	if (place < 0)
		return place;
	err = vma_isolate(mm, addr, addr + old_length);
	return err ? err : move_area(vma_find(mm, addr), (uint64_t)place, new_length);
}
