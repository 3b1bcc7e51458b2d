/* SPDX-License-Identifier: BSD-2-Clause */
/* The pools of huge pages of 2 MiB and 1 GiB, as large as root says (/proc/sys/vm/nr_hugepages,
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

/* The processor has pages of this size. Context: any. */
bool huge_there(enum huge_size size);

struct huge_counts {
	uint64_t total, free; /* pages */
	uint64_t reserved;    /* of the free ones: promised to mappings */
	uint64_t surplus;     /* of all: they go when they are free */
};
/* How the pool is now. Context: task. */
void huge_counts(enum huge_size size, struct huge_counts *counts);

/* Fills the pools as the command line says: `hugepagesz=1G hugepages=4`. Context: start. */
void huge_init(void);
/* Moves the pool's size one step towards `pages`, or to as many as memory allows; pages in use stay
 * until they are given back. 1 GiB pages come only from memory that was never used since start.
 * True: more steps are needed. Context of all: task. */
bool huge_resize(enum huge_size size, uint64_t pages);
/* Promises so many free pages to the caller; false: there are not as many. */
bool huge_reserve(enum huge_size size, uint64_t pages);
/* Takes back promises that were not used. */
void huge_unreserve(enum huge_size size, uint64_t pages);

/* Zeroes a piece of the page that huge_take() gives next; true: nothing is left to zero, or there
 * is none. Between pieces the caller lets others run. */
bool huge_zero_some(enum huge_size size);
/* A page of zeros with one reference, from the caller's promised ones or from the others, once
 * huge_zero_some() has made it; NULL: none is left. */
void *huge_take(enum huge_size size, bool promised);
void huge_get(void *page);
/* The last reference gives the page back to the pool. */
void huge_put(void *page);
unsigned huge_refs(const void *page);

#endif
