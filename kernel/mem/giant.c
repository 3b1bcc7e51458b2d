/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of 1 GiB of memory that was never used. */
#include "abi/boot_info.h"
#include "kernel/base/string.h"
#include "kernel/mem/pool.h"
#include "kernel/mem/reserved.h"

/* True if all of it is usable, unused and the pool's. */
static bool giant_fits(const struct pool *pool, uint64_t start)
{
	uint64_t end = start + PAGING_GIANT_BYTES;

	for (uint64_t at = start; at < end; at += CHUNK_BYTES)
		if (pool_next_chunk(pool, at) != at)
			return false;
	if (reserved_pages(start, end))
		return false;
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE && region->base <= start &&
		    region->base + region->bytes >= end)
			return true;
	}
	return false;
}

/* Returns the pool's highest memory without descriptors, or 0. */
static uint64_t giant_find(const struct pool *pool)
{
	uint64_t start = memory.end & -PAGING_GIANT_BYTES;

	while (start >= PAGING_GIANT_BYTES + pool->next_chunk) {
		start -= PAGING_GIANT_BYTES;
		if (giant_fits(pool, start))
			return start;
	}
	return 0;
}

/* Takes it from the pool; NULL: there is none. */
static struct page *giant_take(struct pool *pool)
{
	uint64_t start = memory.nr_giants < MAX_GIANTS ? giant_find(pool) : 0;
	struct page *page;

	if (!start)
		return NULL;
	memory.giants[memory.nr_giants++] = start;
	pool->available -= PAGING_GIANT_BYTES / PAGE_SIZE;
	page = &memory.pages[start / PAGE_SIZE];
	memset(page, 0, sizeof(*page));
	page->kind = PAGE_HUGE;
	page->order = GIANT_ORDER;
	page->refs = 1;
	return page;
}

struct page *giant_alloc(void)
{
	uint64_t flags = spin_lock_irqsave(&memory.lock);
	struct page *page = NULL;

	for (uint32_t i = 0; i < nr_nodes && !page; i++)
		page = giant_take(&pools[node_nearest(this_cpu_read(node), i)]);
	spin_unlock_irqrestore(&memory.lock, flags);
	return page;
}

void giant_free(struct page *page)
{
	uint64_t flags = spin_lock_irqsave(&memory.lock),
		 start = (uint64_t)(page - memory.pages) * PAGE_SIZE;
	uint64_t end = start + PAGING_GIANT_BYTES;
	struct pool *pool = pool_of(page);

	for (unsigned i = 0; i < memory.nr_giants; i++)
		if (memory.giants[i] == start)
			memory.giants[i] = memory.giants[--memory.nr_giants];
	pool->available += PAGING_GIANT_BYTES / PAGE_SIZE;
	/* Chunks were opened above it: it becomes one as well. Otherwise it can be opened later. */
	if (start < pool->next_chunk) {
		memset(page, 0, sizeof(*page) << GIANT_ORDER);
		pool_free_range(start, end);
	}
	spin_unlock_irqrestore(&memory.lock, flags);
}
