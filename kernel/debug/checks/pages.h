/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of the debug kernel. */
#ifndef DEBUG_PAGES_H
#define DEBUG_PAGES_H

#include <stdint.h>

/* Pages of page_alloc() that have references. Context: any. */
int64_t pages_count(void);
/* Returns the number of pages in cached kernel stacks and their page tables. Context: task. */
int64_t pages_of_stacks(void);
/* Pages that small objects share. Context: any. */
int64_t pages_of_slabs(void);
/* Frees the kept pages. Context: task or interrupt. */
void pages_flush(void);

#endif
