/* SPDX-License-Identifier: BSD-2-Clause */
/* Areas that show physical addresses (/dev/mem), for the files that change areas. Their pages have
 * no descriptors and no references: nothing but ring 3's own accesses, and copies by its addresses,
 * reaches them. Context of all: task. */
#ifndef KERNEL_DEVICE_AREA_H
#define KERNEL_DEVICE_AREA_H

#include "arch/x86/paging/paging.h"
#include "kernel/vm/vma.h"

/* Makes a new area, without any pages yet, show what lies at the physical page number vma->pgoff
 * and after it. 0 or -EINVAL: a private area that may be written, which would want copies. */
int device_open(struct vma *vma, enum paging_cache cache);
/* Whether the area may have the protection. */
bool device_allows(const struct vma *vma, uint32_t prot);
/* As vma_enter(). */
enum fault_result device_fault(struct vma *vma, uint64_t addr);
void device_drop(struct vma *vma, uint64_t start, uint64_t end);

#endif
