/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A node's pool of free pages: a buddy system over the node's usable memory.
 *
 * Memory is added in chunks of 4 MiB: a chunk's page descriptors are written when its pool first
 * needs the chunk, so that start-up costs nothing for unused memory.
 */
#include "abi/boot_info.h"
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/mem/pool.h"
#include "kernel/mem/reserved.h"

#define LOOSE_BATCH 5 /* order of the block that refills the loose pages */

struct memory memory;
struct pool pools[NUMA_NODES];

void pool_init(struct pool *pool)
{
	for (unsigned order = 0; order <= PAGE_MAX_ORDER; order++)
		list_init(&pool->free[order]);
	list_init(&pool->loose);
}

/* The buddy's lists. */

static void block_insert(struct pool *pool, struct page *page, unsigned order)
{
	page->kind = PAGE_FREE;
	page->order = order;
	list_add_head(&pool->free[order], &page->link);
	pool->orders |= 1u << order;
}

static void block_remove(struct pool *pool, struct page *page)
{
	list_remove(&page->link);
	if (list_empty(&pool->free[page->order]))
		pool->orders &= ~(1u << page->order);
}

void pool_free_block(struct pool *pool, struct page *page, unsigned order)
{
	uint64_t number = page - memory.pages;

	for (; order < PAGE_MAX_ORDER; order++) {
		struct page *buddy = &memory.pages[number ^ (1ul << order)];

		if (buddy->kind != PAGE_FREE || buddy->order != order)
			break;
		block_remove(pool, buddy);
		buddy->kind = PAGE_TAIL;
		number &= ~(1ul << order);
	}
	block_insert(pool, &memory.pages[number], order);
}

/* It becomes the largest aligned blocks. */
void pool_free_range(uint64_t start, uint64_t end)
{
	struct pool *pool = pool_of(&memory.pages[start / PAGE_SIZE]);

	start = (start + PAGE_SIZE - 1) / PAGE_SIZE;
	end /= PAGE_SIZE;
	while (start < end) {
		unsigned order = start ? (unsigned)__builtin_ctzl(start) : PAGE_MAX_ORDER;

		if (order > PAGE_MAX_ORDER)
			order = PAGE_MAX_ORDER;
		while (start + (1ul << order) > end)
			order--;
		block_insert(pool, &memory.pages[start], order);
		start += 1ul << order;
	}
}

/* Returns the end of the giant page that contains the address, or the address itself. */
static uint64_t skip_giant(uint64_t phys)
{
	for (unsigned i = 0; i < memory.nr_giants; i++)
		if (phys - memory.giants[i] < PAGING_GIANT_BYTES) {
			phys = memory.giants[i] + PAGING_GIANT_BYTES;
			i = -1u;
		}
	return phys;
}

uint64_t pool_next_chunk(const struct pool *pool, uint64_t start)
{
	for (start = skip_giant(start); start < memory.end && memory.chunk_nodes;
	     start = skip_giant(start + CHUNK_BYTES))
		if (memory.chunk_nodes[start / CHUNK_BYTES] == pool - pools)
			break;
	return start;
}

/* Writes the descriptors of the next chunk and frees its usable memory. Returns false at the end of
 * the node's memory. */
static bool chunk_open(struct pool *pool)
{
	uint64_t start = pool_next_chunk(pool, pool->next_chunk), end = start + CHUNK_BYTES;

	if (start >= memory.end)
		return false;
	pool->next_chunk = end;
	memset(&memory.pages[start / PAGE_SIZE], 0, sizeof(struct page) << PAGE_MAX_ORDER);
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t from = region->base > start ? region->base : start;
		uint64_t to =
		    region->base + region->bytes < end ? region->base + region->bytes : end;

		if (region->kind == BOOT_MEM_USABLE && from < to)
			reserved_gaps(from, to, pool_free_range);
	}
	return true;
}

void pool_drain_loose(struct pool *pool, unsigned keep)
{
	while (pool->nr_loose > keep) {
		struct page *page = list_first(&pool->loose, struct page, link);

		list_remove(&page->link);
		KASSERT(pool->nr_loose > 0);
		pool->nr_loose--;
		pool_free_block(pool, page, 0);
	}
}

/* Takes 2^order pages that are whole free blocks in a row. */
static struct page *span_take(struct pool *pool, unsigned order)
{
	uint64_t wanted = 1ul << (order - PAGE_MAX_ORDER), run = 0, next = 0;
	struct page *page;

	for (uint64_t start; run < wanted; next = start + CHUNK_BYTES) {
		start = pool_next_chunk(pool, next);
		while (start >= pool->next_chunk)
			if (!chunk_open(pool))
				return NULL;
		if (start != next)
			run = 0;
		page = &memory.pages[start / PAGE_SIZE];
		run = page->kind == PAGE_FREE && page->order == PAGE_MAX_ORDER ? run + 1 : 0;
	}
	for (; run; run--, page -= 1ul << PAGE_MAX_ORDER) {
		block_remove(pool, page);
		page->kind = PAGE_TAIL;
	}
	page += 1ul << PAGE_MAX_ORDER;
	page->order = (uint8_t)order;
	return page;
}

void pool_free_span(struct pool *pool, struct page *page)
{
	uint64_t nr = 1ul << (page->order - PAGE_MAX_ORDER);

	for (; nr; nr--, page += 1ul << PAGE_MAX_ORDER)
		block_insert(pool, page, PAGE_MAX_ORDER);
}

struct page *pool_take_block(struct pool *pool, unsigned order)
{
	unsigned from;
	struct page *page;

	if (order > PAGE_MAX_ORDER)
		return span_take(pool, order);
	while (!(pool->orders >> order)) {
		if (chunk_open(pool))
			continue;
		if (!pool->nr_loose)
			return NULL;
		pool_drain_loose(pool, 0);
	}
	from = order + (unsigned)__builtin_ctz(pool->orders >> order);
	page = list_first(&pool->free[from], struct page, link);
	block_remove(pool, page);
	while (from > order) {
		from--;
		block_insert(pool, page + (1ul << from), from);
	}
	page->order = order;
	return page;
}

void pool_refill_loose(struct pool *pool)
{
	struct page *page = NULL;

	if (pool->orders >> LOOSE_BATCH || chunk_open(pool))
		page = pool_take_block(pool, LOOSE_BATCH);
	for (unsigned i = 0; page && i < 1u << LOOSE_BATCH; i++, pool->nr_loose++) {
		page[i].kind = PAGE_LOOSE;
		list_add_tail(&pool->loose, &page[i].link);
	}
}
