/* SPDX-License-Identifier: BSD-2-Clause */
/* Physical pages and small objects. */
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include "arch/x86/paging/paging.h"

#define PAGE_SIZE 4096ul

/* Reads boot_info; panics when the machine has too little memory. Context: start, once. */
void memory_init(void);
void kalloc_init(void);

/* Returns one zeroed page in the direct map with one reference, or NULL. Context: task or
 * interrupt, as all here without a note. */
void *page_alloc(void);
/* As page_alloc(), but not zeroed: for pages that are overwritten at once. */
void *page_alloc_dirty(void);
/* Returns `bytes` (a power of two, at least a page) of zeroed contiguous pages, each with a
 * reference of its own, or NULL; the maximum is 256 MiB. */
void *pages_alloc(size_t bytes);
/* Adds a reference (shared mappings, copy-on-write). */
void page_get(void *page);
/* Drops a reference; the last one frees the page. */
void page_put(void *page);
/* As page_put(), for a page whose bytes are all 0: it need not be zeroed again. */
void page_put_zeros(void *page);
/* Returns the number of references: 1 means that only the caller has one. */
unsigned page_refs(const void *page);

/* Physical address of a direct-map pointer, and back. Context: any. */
#ifdef BAREPMU_HOST
uint64_t page_phys(const void *virt);
void *phys_virt(uint64_t phys);
#else
static inline uint64_t page_phys(const void *virt)
{
	return (uint64_t)virt - DIRECT_MAP;
}

static inline void *phys_virt(uint64_t phys)
{
	return (void *)(DIRECT_MAP + phys);
}
#endif

/* Copies kernel memory as far as it can be read without a fault or a side effect on a device;
 * returns the number of bytes. Context: any. */
size_t peek_kernel(void *to, uint64_t from, size_t bytes);

/* `size` zeroed bytes (any size; above a page: contiguous pages), or NULL. */
void *kalloc(size_t size);
/* As kalloc(), but up to 256 MiB, and with any contents: for root's objects, as nothing else limits
 * them. */
void *kalloc_span(size_t size);
/* Frees what kalloc() or kalloc_span() returned; NULL is allowed. */
void kfree(void *object);

/* Free and total memory in pages. Context: any. */
uint64_t memory_free_pages(void);
uint64_t memory_total_pages(void);

#endif
