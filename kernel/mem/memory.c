/* SPDX-License-Identifier: BSD-2-Clause */
/* The page allocator: pages of the memory nodes' pools. Single pages come from a list of loose
 * pages that is refilled in batches. */
#include "abi/boot_info.h"
#include "kernel/base/assert.h"
#include "kernel/base/log.h"
#include "kernel/base/patched.h"
#include "kernel/base/string.h"
#include "kernel/mem/pool.h"
#include "kernel/mem/reserved.h"

#define LOW_MEMORY  0x100000ul /* left alone: firmware's data, and room for starting processors */
#define LOOSE_LIMIT 256        /* loose pages; more are merged back */

struct page *page_of(const void *virt)
{
	return &memory.pages[page_phys(virt) / PAGE_SIZE];
}

static void *page_virt(const struct page *page)
{
	return phys_virt((uint64_t)(page - memory.pages) * PAGE_SIZE);
}

static inline struct page *loose_take(struct pool *pool)
{
	struct page *page;

	if (list_empty(&pool->loose)) {
		pool_refill_loose(pool);
		if (list_empty(&pool->loose))
			return pool_take_block(pool, 0);
	}
	page = list_first(&pool->loose, struct page, link);
	list_remove(&page->link);
	KASSERT(pool->nr_loose > 0);
	pool->nr_loose--;
	return page;
}

static inline __attribute__((always_inline)) struct page *pool_take(struct pool *pool,
								    unsigned order)
{
	struct page *page = order ? pool_take_block(pool, order) : loose_take(pool);

	if (page)
		pool->available -= 1ul << order;
	return page;
}

/* Counts a page of `node` for a request that wanted place->first. */
static void count_place(const struct placement *place, uint32_t node)
{
	bool hit = place->nodes >> node & 1;

	pools[node].counts[hit ? NODE_HIT : NODE_MISS]++;
	pools[node].counts[node == this_cpu_read(node) ? NODE_LOCAL : NODE_OTHER]++;
	if (!hit)
		pools[place->first].counts[NODE_FOREIGN]++;
	if (hit && place->interleaved)
		pools[node].counts[NODE_INTERLEAVE]++;
}

/* Takes pages from one of the nodes, the nearest first, or returns NULL. */
static struct page *take_from(const struct placement *place, uint64_t nodes, unsigned order)
{
	for (uint32_t i = 0; i < nr_nodes; i++) {
		uint32_t node = node_nearest(place->first, i);
		struct page *page = nodes >> node & 1 ? pool_take(&pools[node], order) : NULL;

		if (page) {
			count_place(place, node);
			return page;
		}
	}
	return NULL;
}

/* With several nodes. */
static __attribute__((noinline)) struct page *take_placed(unsigned order)
{
	struct placement place = {0};
	struct page *page;

	if (nodes_placement && !this_cpu_read(irq_depth))
		place = nodes_placement();
	if (!place.nodes) {
		place.first = this_cpu_read(node);
		place.nodes = 1ul << place.first;
	}
	page = take_from(&place, place.nodes, order);
	return page || place.strict ? page : take_from(&place, ~place.nodes, order);
}

/* Inlined: with a constant order little code is left. */
static inline __attribute__((always_inline)) struct page *take(unsigned order, enum page_kind kind,
							       bool *zeros)
{
	uint64_t flags = spin_lock_irqsave(&memory.lock);
	struct page *page = memory.chunk_nodes ? take_placed(order) : pool_take(&pools[0], order);

	if (page) {
		*zeros = page->kind == PAGE_ZEROS;
		page->kind = kind;
		page->order = order;
		page->refs = 1;
	}
	spin_unlock_irqrestore(&memory.lock, flags);
	return page;
}

PATCHED_FUNCTION struct page *page_alloc_block(unsigned order, enum page_kind kind)
{
	bool zeros;

	return take(order, kind, &zeros);
}

/* `single`: the kind of a single page that is free. */
static inline __attribute__((always_inline)) void give(struct page *page, enum page_kind single)
{
	uint64_t flags = spin_lock_irqsave(&memory.lock);
	struct pool *pool = pool_of(page);

	pool->available += 1ul << page->order;
	if (page->order > PAGE_MAX_ORDER) {
		pool_free_span(pool, page);
	} else if (page->order) {
		pool_free_block(pool, page, page->order);
	} else {
		page->kind = single;
		list_add_head(&pool->loose, &page->link);
		if (++pool->nr_loose > LOOSE_LIMIT)
			pool_drain_loose(pool, LOOSE_LIMIT / 2);
	}
	spin_unlock_irqrestore(&memory.lock, flags);
}

PATCHED_FUNCTION void page_free_block(struct page *page)
{
	give(page, PAGE_LOOSE);
}

void *page_address(const struct page *page)
{
	return page_virt(page);
}

PATCHED_FUNCTION void *page_alloc_dirty(void)
{
	bool zeros;
	struct page *page = take(0, PAGE_USED, &zeros);

	return page ? page_virt(page) : NULL;
}

PATCHED_FUNCTION void *page_alloc(void)
{
	bool zeros;
	struct page *page = take(0, PAGE_USED, &zeros);
	void *virt;

	if (!page)
		return NULL;
	virt = page_virt(page);
	if (!zeros)
		page_zero(virt);
	return virt;
}

void *pages_alloc(size_t bytes)
{
	unsigned order = (unsigned)__builtin_ctzl(bytes / PAGE_SIZE);
	struct page *page = order <= PAGE_SPAN_ORDER ? page_alloc_block(order, PAGE_USED) : NULL;
	char *start;

	if (!page)
		return NULL;
	start = page_virt(page);
	for (size_t i = 0; i < bytes / PAGE_SIZE; i++, page++) {
		page->kind = PAGE_USED;
		page->order = 0;
		page->refs = 1;
		page_zero(start + i * PAGE_SIZE);
	}
	return start;
}

void page_get(void *page)
{
	__atomic_fetch_add(&page_of(page)->refs, 1, __ATOMIC_RELAXED);
}

void page_put(void *virt)
{
	struct page *page = page_of(virt);

	KASSERT(page->refs > 0);
	if (__atomic_sub_fetch(&page->refs, 1, __ATOMIC_ACQ_REL) == 0)
		page_free_block(page);
}

PATCHED_FUNCTION void page_put_zeros(void *virt)
{
	struct page *page = page_of(virt);

	KASSERT(page->refs > 0);
	if (__atomic_sub_fetch(&page->refs, 1, __ATOMIC_ACQ_REL) == 0)
		give(page, PAGE_ZEROS);
}

unsigned page_refs(const void *page)
{
	return __atomic_load_n(&page_of(page)->refs, __ATOMIC_ACQUIRE);
}

uint64_t memory_free_pages(void)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < nr_nodes; i++)
		pages += pools[i].available;
	return pages;
}

uint64_t memory_total_pages(void)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < nr_nodes; i++)
		pages += pools[i].total;
	return pages;
}

/* Start-up. */

void memory_init(void)
{
	uint64_t bytes, room;

	for (unsigned i = 0; i < NUMA_NODES; i++)
		pool_init(&pools[i]);
	reserved_add(0, LOW_MEMORY);
	reserved_add(boot_info.kernel_base, boot_info.kernel_bytes);
	reserved_add(boot_info.initrd_base, boot_info.initrd_bytes);
	for (uint32_t i = 0; i < boot_info.nr_regions; i++)
		if (boot_info.regions[i].kind == BOOT_MEM_USABLE)
			memory.end = boot_info.regions[i].base + boot_info.regions[i].bytes;
	memory.end = (memory.end + CHUNK_BYTES - 1) & -CHUNK_BYTES;
	bytes = memory.end / PAGE_SIZE * sizeof(struct page);
	room = reserved_find_room(bytes);
	if (!room)
		panic("no room for %lu KiB of page descriptors: give the machine more memory",
		      bytes >> 10);
	memory.pages = phys_virt(room);
	reserved_add(room, bytes);
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE)
			pools[0].total +=
			    region->bytes / PAGE_SIZE -
			    reserved_pages(region->base, region->base + region->bytes);
	}
	pools[0].available = pools[0].total;
}
