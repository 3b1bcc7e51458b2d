/* SPDX-License-Identifier: BSD-2-Clause */
/* Page descriptors, shared by the page and the object allocator. Other code uses
 * kernel/mem/memory.h. */
#ifndef KERNEL_PAGE_H
#define KERNEL_PAGE_H

#include "kernel/base/list.h"
#include "kernel/mem/memory.h"

#define PAGE_MAX_ORDER  10 /* the largest block: 4 MiB */
#define PAGE_SPAN_ORDER 16 /* the largest of several whole blocks: 256 MiB */
#define GIANT_ORDER     18 /* of giant_alloc() */

enum page_kind {
	PAGE_TAIL,  /* not the first page of a block, or not usable */
	PAGE_FREE,  /* first page of a free block */
	PAGE_LOOSE, /* a free single page, not merged */
	PAGE_ZEROS, /* as PAGE_LOOSE, and its bytes are all 0 */
	PAGE_USED,  /* page_alloc() */
	PAGE_SLAB,  /* holds small objects */
	PAGE_BLOCK, /* a large object of kalloc() */
	PAGE_HUGE,  /* of the pool of huge pages: its references are the block's */
};

struct page {
	uint32_t refs;
	uint8_t kind;     /* enum page_kind */
	uint8_t order;    /* of the block; PAGE_SLAB: the size class */
	uint16_t used;    /* PAGE_SLAB: objects handed out; PAGE_HUGE in a pool: pieces zeroed */
	void *objects;    /* PAGE_SLAB: list of free objects */
	struct list link; /* free lists; slabs with room */
};

/* The descriptor of a direct-map pointer, and back. Context: any. */
struct page *page_of(const void *virt);
void *page_address(const struct page *page);

/* Allocates 2^order contiguous pages, up to PAGE_SPAN_ORDER, not zeroed, or NULL; frees them. Above
 * PAGE_MAX_ORDER it looks at every block. Context: task or interrupt. */
struct page *page_alloc_block(unsigned order, enum page_kind kind);
void page_free_block(struct page *page);

/* Allocates 1 GiB of memory that was never used since start, aligned to its size and not zeroed, as
 * one page of kind PAGE_HUGE with one reference. Returns NULL if there is none. Only the first page
 * descriptor is valid. giant_free() frees it. Context: task. */
struct page *giant_alloc(void);
void giant_free(struct page *page);

/* Returns the size of an object of kalloc(), which may exceed the requested size. Context: any. */
size_t kalloc_room(const void *object);

#endif
