/* SPDX-License-Identifier: BSD-2-Clause */
/* Page faults: demand-zero memory, copy-on-write, pages of files and devices, a growing stack. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/hooks.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"
#include "kernel/task/sched.h"
#include "kernel/vm/device_area.h"
#include "kernel/vm/huge_area.h"
#include "kernel/vm/thp.h"
#include "kernel/vm/vm.h"
#include "kernel/vm/vma.h"

static void *zero_page; /* mapped by reads of untouched memory; constant once made */

bool vm_is_zero_page(uint64_t phys)
{
	return zero_page && page_phys(zero_page) == phys;
}

/*
 * `own`: the page belongs to this area, so it may be written. A page whose first write must be
 * noticed (copy-on-write, or an owner's) is entered read-only with the mark.
 */
unsigned vma_paging(const struct vma *vma, bool own)
{
	unsigned prot = vma->prot & PROT_EXEC ? PAGING_EXEC : 0;

	if (!vma->prot)
		return PAGING_NONE;
	if (vma->prot & PROT_WRITE)
		prot |= own ? PAGING_WRITE : PAGING_COW;
	return prot;
}

/* Enters the page (consumes its reference) where none is entered. */
static inline enum fault_result fault_enter(struct vma *vma, uint64_t addr, void *page, bool own)
{
	struct mm *mm = vma->mm;

	if (paging_map(mm->root_phys, addr, page_phys(page), vma_paging(vma, own))) {
		page_put(page);
		return FAULT_NOMEM;
	}
	if (++mm->rss > mm->max_rss)
		mm->max_rss = mm->rss;
	return FAULT_DONE;
}

static enum fault_result fault_anonymous(struct vma *vma, uint64_t addr, bool write)
{
	void *page;

	if ((vma->flags | thp_always) & VMA_THP && thp_fault(vma, addr))
		return FAULT_DONE;
	if (write) {
		page = page_alloc();
	} else {
		if (!zero_page)
			zero_page = page_alloc();
		page = zero_page;
		if (page)
			page_get(page);
	}
	return page ? fault_enter(vma, addr, page, write) : FAULT_NOMEM;
}

static __attribute__((noinline)) enum fault_result fault_file(struct vma *vma, uint64_t addr,
							      bool write)
{
	struct inode *inode = vma->file->inode;
	uint64_t index = vma->pgoff + (addr - vma->start) / PAGE_SIZE;
	bool shared = vma->flags & MAP_SHARED;
	void *page;

	if (index >= (inode->size + PAGE_SIZE - 1) / PAGE_SIZE)
		return FAULT_BUS;
	if (write && !shared) {
		page = page_alloc_dirty();
		if (page)
			inode_page_copy(inode, index, page);
	} else {
		page = inode_page(inode, index);
	}
	return page ? fault_enter(vma, addr, page, write || shared) : FAULT_NOMEM;
}

static __attribute__((noinline)) enum fault_result fault_device(struct vma *vma, uint64_t addr,
								bool write)
{
	void *page;

	if (vma->flags & VMA_HUGE)
		return huge_fault(vma, addr, write);
	if (vma->flags & VMA_DEVICE)
		return device_fault(vma, addr);
	page = vma->ops->fault(vma, vma->pgoff + (addr - vma->start) / PAGE_SIZE, write);
	return page ? fault_enter(vma, addr, page, write) : FAULT_BUS;
}

/* Handles the first write to an owner's page that was entered by a read: calls the owner again. */
static enum fault_result fault_device_write(struct vma *vma, uint64_t addr)
{
	void *page;

	if (vma->flags & VMA_HUGE)
		return huge_fault(vma, addr, true);
	page = vma->ops->fault(vma, vma->pgoff + (addr - vma->start) / PAGE_SIZE, true);
	if (!page)
		return FAULT_BUS;
	page_put(page); /* the mapping holds it already */
	paging_protect(vma->mm->root_phys, addr, vma_paging(vma, true));
	return FAULT_DONE;
}

/* Handles a write to a present page that is marked copy-on-write. */
enum fault_result vma_own_page(struct vma *vma, uint64_t addr, uint64_t phys)
{
	void *old = phys_virt(phys), *page;

	if (old != zero_page && page_refs(old) == 1) {
		paging_protect(vma->mm->root_phys, addr, vma_paging(vma, true));
		return FAULT_DONE;
	}
	page = old == zero_page ? page_alloc() : page_alloc_dirty();
	if (!page)
		return FAULT_NOMEM;
	if (old != zero_page)
		page_copy(page, old);
	if (paging_map(vma->mm->root_phys, addr, page_phys(page), vma_paging(vma, true))) {
		page_put(page);
		return FAULT_NOMEM;
	}
	paging_flush_others(vma->mm->root_phys, addr, addr + PAGE_SIZE);
	page_put(old);
	return FAULT_DONE;
}

/* Extends the stack's area down to `addr`; false if that is not allowed. */
static __attribute__((noinline)) bool stack_grow(struct vma *vma, uint64_t addr)
{
	struct vma *below;

	addr &= -PAGE_SIZE;
	if (!(vma->flags & VMA_STACK) || vma->end - addr > vma->mm->stack_limit)
		return false;
	if (vma->link.prev != &vma->mm->vmas) {
		below = container_of(vma->link.prev, struct vma, link);
		if (below->end + 256 * PAGE_SIZE > addr) /* Linux's guard gap */
			return false;
	}
	vma_resize(vma, addr, vma->end);
	return true;
}

static bool allowed(const struct vma *vma, unsigned access)
{
	if (access & FAULT_WRITE)
		return vma->prot & PROT_WRITE;
	if (access & FAULT_FETCH)
		return vma->prot & PROT_EXEC;
	return vma->prot & (PROT_READ | PROT_WRITE | PROT_EXEC);
}

enum fault_result vma_enter(struct vma *vma, uint64_t addr, bool write)
{
	if (vma->ops)
		return fault_device(vma, addr, write);
	if (vma->file && !(vma->flags & VMA_ZEROS))
		return fault_file(vma, addr, write);
	return fault_anonymous(vma, addr, write);
}

/* Handles a fault on a present page, unless another thread has removed it. Out of line, to keep the
 * caller's frame small. */
static __attribute__((noinline)) enum fault_result fault_again(struct vma *vma, uint64_t addr,
							       bool write)
{
	struct paging_entry entry;

	if (!paging_query(vma->mm->root_phys, addr, &entry))
		return vma_enter(vma, addr, write);
	/* Already resolved unless the page waits for its copy. */
	if (!write || !(entry.prot & PAGING_COW))
		return FAULT_DONE;
	return vma->ops ? fault_device_write(vma, addr) : vma_own_page(vma, addr, entry.phys);
}

/* As fault_again(), by the area's own memory policy. */
static __attribute__((noinline)) enum fault_result enter_placed(struct vma *vma, uint64_t addr,
								bool write)
{
	struct task *task = current_task();
	enum fault_result result;

	task->area_memory = vma->policy;
	result = fault_again(vma, addr, write);
	task->area_memory = (struct memory_policy){0};
	return result;
}

enum fault_result vm_fault(struct mm *mm, uint64_t addr, unsigned access)
{
	struct vma *vma = vma_find(mm, addr);
	bool write = access & FAULT_WRITE;

	if (!vma || (addr < vma->start && !stack_grow(vma, addr)))
		return FAULT_MAPERR;
	if (!allowed(vma, access))
		return FAULT_ACCERR;
	addr &= -PAGE_SIZE;
	if (vma->policy.mode)
		return enter_placed(vma, addr, write);
	/* With several processors another thread may have resolved it in the meantime. */
	if (access & FAULT_PRESENT || nr_cpus > 1)
		return fault_again(vma, addr, write);
	return vma_enter(vma, addr, write);
}

/* Sends the signal for an invalid access of ring 3. */
static void fault_signal(struct frame *frame, uint64_t address, enum fault_result result)
{
	switch (result) {
	case FAULT_MAPERR:
		signal_fault(SIGSEGV, SEGV_MAPERR, address, frame->vector);
		break;
	case FAULT_ACCERR:
		signal_fault(SIGSEGV, SEGV_ACCERR, address, frame->vector);
		break;
	case FAULT_BUS:
		signal_fault(SIGBUS, BUS_ADRERR, address, frame->vector);
		break;
	default:
		vm_out_of_memory();
	}
}

/*
 * True for an access by ring 3's code with the rights of ring 0, which SMAP forbids: no change of
 * the page would permit it. Processors make none; QEMU does for RETF and IRET.
 */
static bool against_smap(const struct frame *frame)
{
	return frame_is_user(frame) &&
	       (frame->error & (FAULT_PRESENT | FAULT_USER)) == FAULT_PRESENT;
}

/* Repeats a long fault until it is done; other tasks run in between, unless it came from ring 0. */
static enum fault_result fault_go_on(const struct frame *frame, uint64_t address)
{
	enum fault_result result = FAULT_AGAIN;

	while (result == FAULT_AGAIN) {
		if (frame_is_user(frame) && !sched_pause())
			return FAULT_DONE; /* the process ends */
		result = vm_fault(current_task()->mm, address, frame->error);
	}
	return result;
}

int vm_page_fault(struct frame *frame, uint64_t address)
{
	struct task *task = current_task();
	enum fault_result result = FAULT_MAPERR;

	if (!task->mm)
		return -EFAULT;
	if (against_smap(frame)) {
		result = FAULT_ACCERR;
	} else if (address < USER_END) {
		if (perf_hooks.page_fault)
			perf_hooks.page_fault(frame, address);
		result = vm_fault(task->mm, address, frame->error);
	}
	if (result == FAULT_AGAIN)
		result = fault_go_on(frame, address);
	if (result == FAULT_DONE) {
		task->min_faults++;
		task->process->own.min_faults++;
		if (perf_hooks.page_fault_minor)
			perf_hooks.page_fault_minor(frame, address);
		return 0;
	}
	if (!frame_is_user(frame))
		return -EFAULT;
	fault_signal(frame, address, result);
	return 0;
}
