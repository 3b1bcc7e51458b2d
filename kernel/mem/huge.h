/* SPDX-License-Identifier: BSD-2-Clause */
/* The pools of huge pages of 2 MiB and 1 GiB, with sizes set by root (/proc/sys/vm/nr_hugepages,
 * /sys/kernel/mm/hugepages): Linux's admin-guide/mm/hugetlbpage. */
#ifndef KERNEL_HUGE_H
#define KERNEL_HUGE_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/paging/paging.h"

/* The default size, also used by transparent huge pages. */
#define HUGE_PAGE_SIZE  PAGING_LARGE_BYTES
#define HUGE_PAGE_SHIFT 21

enum huge_size { HUGE_2M, HUGE_1G, HUGE_SIZES };

static inline unsigned huge_shift(enum huge_size size)
{
	return size == HUGE_1G ? 30 : HUGE_PAGE_SHIFT;
}

static inline uint64_t huge_bytes(enum huge_size size)
{
	return 1ul << huge_shift(size);
}

/* True if the processor supports pages of this size. Context: any. */
bool huge_there(enum huge_size size);

struct huge_counts {
	uint64_t total, free; /* pages */
	uint64_t reserved;    /* of the free ones: promised to mappings */
	uint64_t surplus;     /* of all: they go when they are free */
};
/* Returns the pool's present counts. Context: task. */
void huge_counts(enum huge_size size, struct huge_counts *counts);

/* Fills the pools according to the command line: `hugepagesz=1G hugepages=4`. Context: start. */
void huge_init(void);
/* Moves the pool's size one step towards `pages`, or to as many as memory allows; pages in use stay
 * until they are given back. 1 GiB pages come only from memory that was never used since start.
 * True: more steps are needed. Context of all: task. */
bool huge_resize(enum huge_size size, uint64_t pages);
/* Reserves free pages for the caller; false: there are not enough. */
bool huge_reserve(enum huge_size size, uint64_t pages);
/* Returns unused reservations. */
void huge_unreserve(enum huge_size size, uint64_t pages);

/* Zeroes a part of the page that huge_take() returns next; true: it is completely zeroed, or there
 * is none. The caller lets other tasks run between parts. */
bool huge_zero_some(enum huge_size size);
/* Returns a zeroed page with one reference, from the caller's reservation or from the other pages,
 * once huge_zero_some() has completed it; NULL: none is left. */
void *huge_take(enum huge_size size, bool promised);
void huge_get(void *page);
/* Drops a reference; the last one returns the page to the pool. */
void huge_put(void *page);
unsigned huge_refs(const void *page);

#endif
