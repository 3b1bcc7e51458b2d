/* SPDX-License-Identifier: BSD-2-Clause */
/* Access to the memory of another process, page by page: for process_vm_readv(2), ptrace(2) and
 * /proc/PID/mem. */
#include <linux/mman.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/vm/foreign.h"
#include "kernel/vm/vma.h"

/* Returns the page, entered by a read if necessary; NULL: there is none. */
static void *entered(struct vma *vma, uint64_t addr, struct paging_entry *entry)
{
	uint64_t root = vma->mm->root_phys;
	enum fault_result result = FAULT_AGAIN;

	if (paging_query(root, addr, entry))
		return phys_virt(entry->phys);
	while (result == FAULT_AGAIN)
		result = vma_enter(vma, addr, false);
	return result == FAULT_DONE && paging_query(root, addr, entry) ? phys_virt(entry->phys)
								       : NULL;
}

/* Returns a page for access against the area's protection. A forced write (a breakpoint) goes to a
 * private copy of the page, which keeps its protection; shared memory is never written so. */
static void *against_protection(struct vma *vma, uint64_t addr, bool write)
{
	struct paging_entry entry;
	void *page;

	if (write && (vma->flags & MAP_SHARED || vma->ops))
		return NULL;
	page = entered(vma, addr, &entry);
	if (!page || !write)
		return page;
	if (vma_own_page(vma, addr, entry.phys) != FAULT_DONE)
		return NULL;
	return entered(vma, addr, &entry);
}

/* Returns the page that contains `addr`, or NULL. */
static void *page_at(struct mm *mm, uint64_t addr, bool write, bool force)
{
	struct vma *vma = addr < USER_END ? vma_find(mm, addr) : NULL;
	struct paging_entry entry;

	if (!vma || vma->flags & VMA_VVAR)
		return NULL;
	addr &= -PAGE_SIZE;
	if (addr < vma->start && vm_fault(mm, addr, write ? FAULT_WRITE : 0) != FAULT_DONE)
		return NULL; /* not the stack, or it may not grow */
	if (!(vma->prot & (write ? PROT_WRITE : PROT_READ)))
		return force ? against_protection(vma, addr, write) : NULL;
	return write ? mm_writable(mm, addr) : entered(vma, addr, &entry);
}

size_t foreign_copy(struct mm *mm, uint64_t addr, void *bytes, size_t length, unsigned how)
{
	size_t done = 0;

	while (done < length) {
		uint64_t at = addr + done, offset = at % PAGE_SIZE;
		size_t room = PAGE_SIZE - offset,
		       piece = room < length - done ? room : length - done;
		char *page = page_at(mm, at, how & FOREIGN_WRITE, how & FOREIGN_FORCE);

		if (!page)
			break;
		if (how & FOREIGN_WRITE)
			memcpy(page + offset, (char *)bytes + done, piece);
		else
			memcpy((char *)bytes + done, page + offset, piece);
		done += piece;
	}
	return done;
}
