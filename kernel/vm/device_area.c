/* SPDX-License-Identifier: BSD-2-Clause */
/* Areas of physical addresses: `priv` is the cache mode. A child's pages come by faults. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "kernel/mem/memory.h"
#include "kernel/vm/device_area.h"

static const struct vma_ops ops = {.name = NULL};

bool device_allows(const struct vma *vma, uint32_t prot)
{
	return vma->flags & MAP_SHARED || !(prot & PROT_WRITE);
}

int device_open(struct vma *vma, enum paging_cache cache)
{
	if (!device_allows(vma, vma->prot))
		return -EINVAL;
	vma->flags |= VMA_DEVICE;
	vma->ops = &ops;
	vma->priv = (void *)(uint64_t)cache;
	return 0;
}

enum fault_result device_fault(struct vma *vma, uint64_t addr)
{
	uint64_t phys = vma->pgoff * PAGE_SIZE + (addr - vma->start);
	enum paging_cache cache = (enum paging_cache)(uint64_t)vma->priv;

	if (paging_map_foreign(vma->mm->root_phys, addr, phys, vma_paging(vma, true), cache))
		return FAULT_NOMEM;
	return FAULT_DONE;
}

static void forget(void *page)
{
	(void)page;
}

void device_drop(struct vma *vma, uint64_t start, uint64_t end)
{
	paging_clear(vma->mm->root_phys, start, end, forget);
}
