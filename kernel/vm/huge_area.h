/* SPDX-License-Identifier: BSD-2-Clause */
/* Areas of huge pages (MAP_HUGETLB), for the files that change areas. Their borders and their
 * pages' addresses are multiples of the pages' size. Context of all: task. */
#ifndef KERNEL_HUGE_AREA_H
#define KERNEL_HUGE_AREA_H

#include "kernel/mem/huge.h"
#include "kernel/vm/vma.h"

/* Bytes of the pages that the flags of mmap(2) ask for; 0: there are none of that size. */
uint64_t huge_bytes_asked(uint32_t mmap_flags);
/* Returns the page size of an area. */
uint64_t huge_bytes_of(const struct vma *vma);
/* Makes a new area of small pages, without any yet, one of huge pages. Pages for all of it are
 * promised unless MAP_NORESERVE. 0 or -ENOMEM: the caller frees the area. */
int huge_open(struct vma *vma, uint32_t mmap_flags);
/* Enters the parent's pages in the child's area, its copy. 0 or -ENOMEM. */
int huge_copy(struct vma *vma, struct vma *child);
/* Moves pages and reservations into the area `to`, which is not yet in use; pages beyond its end
 * are freed. 0, or -ENOMEM with nothing moved. */
int huge_move(struct vma *vma, struct vma *to);
/* As vma_enter(), of the huge page around `addr`; makes one that is there the area's own for a
 * write. */
enum fault_result huge_fault(struct vma *vma, uint64_t addr, bool write);
void huge_drop(struct vma *vma, uint64_t start, uint64_t end);
/* Gives the pages what the area's new protection allows. */
void huge_reprotect(struct vma *vma);

#endif
