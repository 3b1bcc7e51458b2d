/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transparent huge pages: 2 MiB of private anonymous memory mapped by one page table entry, enabled
 * by madvise(MADV_HUGEPAGE) or for all memory by "always" in
 * /sys/kernel/mm/transparent_hugepage/enabled (Linux's admin-guide/mm/transhuge). A huge page
 * consists of 512 ordinary pages, each with one reference. Any change or copy of a part splits it
 * first. Its spare page table is allocated with it, so that splitting cannot fail. Context of all:
 * task.
 */
#ifndef KERNEL_THP_H
#define KERNEL_THP_H

#include "kernel/vm/vma.h"

enum thp_mode { THP_ALWAYS, THP_MADVISE, THP_NEVER, THP_MODES };

/* Selects the areas that get them from now on; present pages stay. */
enum thp_mode thp_mode(void);
void thp_set_mode(enum thp_mode mode);
/* Returns their number, over all processes. */
uint64_t thp_count(void);

/* VMA_THP if every area counts as advised, otherwise 0. */
extern uint32_t thp_always;

/* True if the area may have some: for /proc/PID/smaps. */
bool thp_eligible(const struct vma *vma);
/* Enters one around `addr`, where nothing is entered yet, if the area has room for it and memory is
 * plentiful. False: the caller must enter a small page. */
bool thp_fault(struct vma *vma, uint64_t addr);
/* Splits the one that contains `addr`, not at its start; does nothing if there is none. */
void thp_split_at(struct mm *mm, uint64_t addr);
/* Splits the huge pages in [start, end), and the ones across its ends. */
void thp_split(struct mm *mm, uint64_t start, uint64_t end);
/* Removes the area's huge pages that are entirely in [start, end), and splits the ones across its
 * ends. */
void thp_drop(struct vma *vma, uint64_t start, uint64_t end);

#endif
