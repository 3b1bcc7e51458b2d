/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of huge pages, as large as root says (/proc/sys/vm/nr_hugepages): Linux's
 * admin-guide/mm/hugetlbpage. */
#ifndef KERNEL_HUGE_H
#define KERNEL_HUGE_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/paging/paging.h"

#define HUGE_PAGE_SIZE  PAGING_LARGE_BYTES
#define HUGE_PAGE_SHIFT 21

struct huge_counts {
	uint64_t total, free; /* pages */
	uint64_t reserved;    /* of the free ones: promised to mappings */
	uint64_t surplus;     /* of all: they go when they are free */
};
void huge_counts(struct huge_counts *counts);

/* Brings the pool one step nearer to `pages`, or to as many as memory allows; pages in use stay
 * until they are given back. True: there are more steps. Context of all: task. */
bool huge_resize(uint64_t pages);
/* Promises so many free pages to the caller; false: there are not as many. */
bool huge_reserve(uint64_t pages);
/* Takes back promises that were not used. */
void huge_unreserve(uint64_t pages);

/* A page with one reference, its contents anything, from the caller's promised ones or from the
 * others; NULL: none is left. */
void *huge_take(bool promised);
void huge_get(void *page);
/* The last reference gives the page back to the pool. */
void huge_put(void *page);
unsigned huge_refs(const void *page);

#endif
