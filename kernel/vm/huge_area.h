/* SPDX-License-Identifier: BSD-2-Clause */
/* Areas of huge pages (MAP_HUGETLB), for code that changes areas. Their bounds and their pages'
 * addresses are multiples of the page size. Context of all: task. */
#ifndef KERNEL_HUGE_AREA_H
#define KERNEL_HUGE_AREA_H

#include "kernel/mem/huge.h"
#include "kernel/vm/vma.h"

/* Returns the page size in the flags of mmap(2); 0: there is no such size. */
uint64_t huge_bytes_requested(uint32_t mmap_flags);
/* Returns the page size of an area. */
uint64_t huge_bytes_of(const struct vma *vma);
/* Converts a new, empty area to huge pages. Reserves pages for all of it unless MAP_NORESERVE. 0 or
 * -ENOMEM: the caller frees the area. */
int huge_open(struct vma *vma, uint32_t mmap_flags);
/* Enters the parent's pages in the child's area, its copy. 0 or -ENOMEM. */
int huge_copy(struct vma *vma, struct vma *child);
/* Moves pages and reservations into the area `to`, which is not yet in use; pages beyond its end
 * are freed. 0, or -ENOMEM with nothing moved. */
int huge_move(struct vma *vma, struct vma *to);
/* As vma_enter(), for the huge page around `addr`; for a write makes a present page the area's
 * own. */
enum fault_result huge_fault(struct vma *vma, uint64_t addr, bool write);
void huge_drop(struct vma *vma, uint64_t start, uint64_t end);
/* Applies the area's new protection to its pages. */
void huge_reprotect(struct vma *vma);

#endif
