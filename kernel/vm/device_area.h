/* SPDX-License-Identifier: BSD-2-Clause */
/* Areas that map physical addresses (/dev/mem), for code that changes areas. Their pages have no
 * descriptors and no references: only ring 3's own accesses, and copies by its addresses, reach
 * them. Context of all: task. */
#ifndef KERNEL_DEVICE_AREA_H
#define KERNEL_DEVICE_AREA_H

#include "arch/x86/paging/paging.h"
#include "kernel/vm/vma.h"

/* Makes a new, empty area map device memory from physical page number vma->pgoff on. 0, or -EINVAL
 * for a private writable area, which would need copies. */
int device_open(struct vma *vma, enum paging_cache cache);
/* True if the area may have the protection. */
bool device_allows(const struct vma *vma, uint32_t prot);
/* As vma_enter(). */
enum fault_result device_fault(struct vma *vma, uint64_t addr);
void device_drop(struct vma *vma, uint64_t start, uint64_t end);

#endif
