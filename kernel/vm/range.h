/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of the current address space, for the calls that change them. Context of all: task. */
#ifndef KERNEL_RANGE_H
#define KERNEL_RANGE_H

#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vma.h"

/* Rounds up to pages; 0 if that overflows, or for 0. */
static inline uint64_t round_pages(uint64_t length)
{
	return (length + PAGE_SIZE - 1) & -PAGE_SIZE;
}

static inline bool range_ok(uint64_t addr, uint64_t length)
{
	return length <= USER_END && addr <= USER_END - length;
}

/* Unmaps the range: 0 or a negative errno. */
int vm_clear_range(struct mm *mm, uint64_t start, uint64_t end);
/* Merges the new or changed area [start, end) with its neighbours, and reports what it became, as
 * Linux does. */
void vm_merge_and_report(struct mm *mm, uint64_t start, uint64_t end);
/* Returns the address for a mapping with these flags of mmap(2), or a negative errno. Clears the
 * range for MAP_FIXED. */
int64_t vm_choose_place(struct mm *mm, uint64_t addr, uint64_t length, uint32_t flags);
/* True if more memory is requested than can ever exist, which Linux refuses unless overcommit is
 * set. */
bool vm_too_much(uint64_t length, uint32_t prot, uint32_t flags);

#endif
