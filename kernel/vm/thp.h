/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transparent huge pages: 2 MiB of private memory without a file that one entry of the page tables
 * maps, where madvise(MADV_HUGEPAGE) asked for it or root says "always"
 * (/sys/kernel/mm/transparent_hugepage/enabled; Linux's admin-guide/mm/transhuge). What lies after
 * it are 512 ordinary pages, each with one reference; whatever changes a part of it, or copies it,
 * splits it first. The table that this takes is kept with the page, so that splitting cannot fail.
 * Context of all: task.
 */
#ifndef KERNEL_THP_H
#define KERNEL_THP_H

#include "kernel/vm/vma.h"

enum thp_mode { THP_ALWAYS, THP_MADVISE, THP_NEVER, THP_MODES };

/* Which areas get them from now on; what is there stays. */
enum thp_mode thp_mode(void);
void thp_set_mode(enum thp_mode mode);
/* How many there are, of all processes. */
uint64_t thp_count(void);

/* VMA_THP where every area is taken for advised, otherwise 0. */
extern uint32_t thp_always;

/* The area may have some: what /proc/PID/smaps says. */
bool thp_eligible(const struct vma *vma);
/* Enters one around `addr`, where nothing is entered yet, if the area has room for it and memory
 * is plenty. False: the caller enters a small page. */
bool thp_fault(struct vma *vma, uint64_t addr);
/* Splits the one that has `addr` inside of it; nothing happens where there is none. */
void thp_split_at(struct mm *mm, uint64_t addr);
/* Splits huge pages in [start, end), whose borders may lie inside of some. */
void thp_split(struct mm *mm, uint64_t start, uint64_t end);
/* Removes huge pages that lie in [start, end) of the area whole, and splits those at its
 * borders. */
void thp_drop(struct vma *vma, uint64_t start, uint64_t end);

#endif
