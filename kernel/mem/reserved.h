/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of usable memory that the page allocator does not hand out: low memory, the kernel, the
 * initrd, descriptors. */
#ifndef KERNEL_MEM_RESERVED_H
#define KERNEL_MEM_RESERVED_H

#include <stdint.h>

/* Reserves the pages that [base, base + bytes) touches; nothing for 0 bytes. There is room for four
 * ranges. Context: start, before other processors run. */
void reserved_add(uint64_t base, uint64_t bytes);

/* Returns the physical address of `bytes` of usable memory that no reserved range overlaps, on a
 * page's boundary, or 0 if there is no room. Context: start. */
uint64_t reserved_find_room(uint64_t bytes);

/* Returns the number of reserved pages in [start, end). Context: any. */
uint64_t reserved_pages(uint64_t start, uint64_t end);

/* Calls `gap` for each part of [start, end) that is not reserved. Context: any. */
void reserved_gaps(uint64_t start, uint64_t end, void (*gap)(uint64_t start, uint64_t end));

#endif
