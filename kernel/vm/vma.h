/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of areas, for code that changes it; other code uses kernel/vm/vm.h. Context of all:
 * task. */
#ifndef KERNEL_VMA_H
#define KERNEL_VMA_H

#include "kernel/vm/vm.h"

/* Initialises an address space without areas. */
void vma_tree_init(struct mm *mm);
/* Changes the area's bounds; no other area may be within them. */
void vma_resize(struct vma *vma, uint64_t start, uint64_t end);
/* Changes its protection and flags. */
void vma_change(struct vma *vma, uint32_t prot, uint32_t flags);
struct vma *vma_next(struct vma *vma);
/* Returns a new area in the list (the range must be free), or NULL. Takes a reference to the
 * file. */
struct vma *vma_new(struct mm *mm, uint64_t start, uint64_t end, uint32_t prot, uint32_t flags,
		    struct file *file, uint64_t pgoff);
/* Removes an area whose pages were removed. */
void vma_free(struct vma *vma);
/* As vma_free(), for an address space whose tree of areas is gone. */
void vma_release(struct vma *vma);
/* Returns an unlocked copy of the area in another address space, which must have no area at or
 * above it; NULL: no memory. */
struct vma *vma_copy(const struct vma *vma, struct mm *mm);
/* Splits areas that cross the bounds of [start, end). */
int vma_isolate(struct mm *mm, uint64_t start, uint64_t end);
/* Merges equal neighbours from the one below `start` to the one at `end`. */
void vma_merge(struct mm *mm, uint64_t start, uint64_t end);
/* Returns the highest free range of `length` bytes below `top`, or 0. */
uint64_t vma_gap(struct mm *mm, uint64_t length, uint64_t top);
/* Enters the page at `addr` (aligned, in the area, not entered yet), regardless of the area's
 * protection. */
enum fault_result vma_enter(struct vma *vma, uint64_t addr, bool write);
/* Makes an entered page of a private area, at physical address `phys`, the area's own; the page
 * gets the area's protection. */
enum fault_result vma_own_page(struct vma *vma, uint64_t addr, uint64_t phys);
/* Drops the pages of [start, end), a range within one area. */
void vma_drop_pages(struct vma *vma, uint64_t start, uint64_t end);
/* Gives the page tables back that were for [start, end), where no area is, and for none else. */
void vma_drop_tables(struct mm *mm, uint64_t start, uint64_t end);
/* Removes the area with its pages, and the page tables that it alone needed. */
void vma_remove(struct vma *vma);
/* Whether there may be so much in [start, end) that removing it needs pauses. */
bool vma_many(const struct mm *mm, uint64_t start, uint64_t end);
/* Returns the end of a part of [start, end) with few pages and areas. Areas with operations of
 * their own stay whole. */
uint64_t vma_part(struct mm *mm, uint64_t start, uint64_t end);

#endif
