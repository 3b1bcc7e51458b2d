/* SPDX-License-Identifier: BSD-2-Clause */
/* The pools of free pages, one of each memory node: for the page allocator's own files. Context of
 * all functions: the caller holds memory.lock. */
#ifndef KERNEL_POOL_H
#define KERNEL_POOL_H

#include <stdbool.h>
#include "arch/x86/apic/numa.h"
#include "arch/x86/cpu/spinlock.h"
#include "kernel/mem/nodes.h"
#include "kernel/mem/page.h"

#define CHUNK_BYTES (PAGE_SIZE << PAGE_MAX_ORDER)
#define MAX_GIANTS  64

/* A node's free pages. */
struct pool {
	uint64_t next_chunk; /* physical: the node's memory from here on has no descriptors yet */
	struct list free[PAGE_MAX_ORDER + 1];
	uint32_t orders;   /* bit n: free[n] is not empty */
	unsigned nr_loose; /* pages on the next list */
	struct list loose; /* free single pages that are not merged */
	uint64_t total, available;
	uint64_t counts[NODE_COUNTS]; /* kept with several nodes */
};

/* Data that all pools share. */
struct memory {
	struct spinlock lock;
	struct page *pages;          /* descriptors, by page number; constant after start */
	uint8_t *chunk_nodes;        /* the node of each chunk; NULL: there is one node. Constant */
	uint64_t end;                /* physical: of the last chunk */
	uint64_t giants[MAX_GIANTS]; /* physical: taken by giant_alloc() */
	unsigned nr_giants;
};

extern struct memory memory;
extern struct pool pools[NUMA_NODES];

/* Returns the pool that a page belongs to. */
static inline struct pool *pool_of(const struct page *page)
{
	return memory.chunk_nodes
		   ? &pools[memory.chunk_nodes[(uint64_t)(page - memory.pages) >> PAGE_MAX_ORDER]]
		   : &pools[0];
}

void pool_init(struct pool *pool);
/* Returns the physical address of the pool's first chunk from `start` on that is no part of a giant
 * page; memory.end or above: there is none. */
uint64_t pool_next_chunk(const struct pool *pool, uint64_t start);
/* Takes 2^order pages, or NULL. */
struct page *pool_take_block(struct pool *pool, unsigned order);
/* Gives 2^order pages back, up to PAGE_MAX_ORDER, merged with free buddies. */
void pool_free_block(struct pool *pool, struct page *page, unsigned order);
/* Gives a block above PAGE_MAX_ORDER back. */
void pool_free_span(struct pool *pool, struct page *page);
/* Frees the whole pages of [start, end), physical addresses in one chunk or giant page. */
void pool_free_range(uint64_t start, uint64_t end);
/* Makes loose pages of a block, if there is one. */
void pool_refill_loose(struct pool *pool);
/* Merges loose pages back until `keep` are left. */
void pool_drain_loose(struct pool *pool, unsigned keep);

#endif
