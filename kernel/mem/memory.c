/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page allocator: a buddy system over the machine's usable memory.
 *
 * Memory is added in chunks of 4 MiB: a chunk's page descriptors are written when the allocator
 * first needs the chunk, so that start-up costs nothing for unused memory. Single pages come from a
 * list of loose pages that is refilled in batches.
 */
#include <stdbool.h>
#include "abi/boot_info.h"
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/assert.h"
#include "kernel/base/log.h"
#include "kernel/base/patched.h"
#include "kernel/base/string.h"
#include "kernel/mem/page.h"
#include "kernel/mem/reserved.h"

#define CHUNK_BYTES (PAGE_SIZE << PAGE_MAX_ORDER)
#define LOW_MEMORY  0x100000ul /* left alone: firmware's data, and room for starting processors */
#define LOOSE_BATCH 5          /* order of the block that refills the loose pages */
#define LOOSE_LIMIT 256        /* loose pages; more are merged back */
#define MAX_GIANTS  64

static struct {
	struct spinlock lock;
	struct page *pages;       /* descriptors, by page number; constant after start */
	uint64_t next_chunk, end; /* physical: memory from next_chunk on has no descriptors yet */
	struct list free[PAGE_MAX_ORDER + 1];
	uint32_t orders;   /* bit n: free[n] is not empty */
	struct list loose; /* free single pages that are not merged */
	unsigned nr_loose;
	uint64_t total, available;   /* pages */
	uint64_t giants[MAX_GIANTS]; /* physical: taken by giant_alloc() */
	unsigned nr_giants;
} memory;

struct page *page_of(const void *virt)
{
	return &memory.pages[page_phys(virt) / PAGE_SIZE];
}

static void *page_virt(const struct page *page)
{
	return phys_virt((uint64_t)(page - memory.pages) * PAGE_SIZE);
}

/* The buddy's lists. */

static void block_insert(struct page *page, unsigned order)
{
	page->kind = PAGE_FREE;
	page->order = order;
	list_add_head(&memory.free[order], &page->link);
	memory.orders |= 1u << order;
}

static void block_remove(struct page *page)
{
	list_remove(&page->link);
	if (list_empty(&memory.free[page->order]))
		memory.orders &= ~(1u << page->order);
}

/* Gives a block back, merged with its free buddies. */
static void block_free(struct page *page, unsigned order)
{
	uint64_t number = page - memory.pages;

	for (; order < PAGE_MAX_ORDER; order++) {
		struct page *buddy = &memory.pages[number ^ (1ul << order)];

		if (buddy->kind != PAGE_FREE || buddy->order != order)
			break;
		block_remove(buddy);
		buddy->kind = PAGE_TAIL;
		number &= ~(1ul << order);
	}
	block_insert(&memory.pages[number], order);
}

/* Frees the whole pages of [start, end) as the largest aligned blocks. */
static void range_free(uint64_t start, uint64_t end)
{
	start = (start + PAGE_SIZE - 1) / PAGE_SIZE;
	end /= PAGE_SIZE;
	while (start < end) {
		unsigned order = start ? (unsigned)__builtin_ctzl(start) : PAGE_MAX_ORDER;

		if (order > PAGE_MAX_ORDER)
			order = PAGE_MAX_ORDER;
		while (start + (1ul << order) > end)
			order--;
		block_insert(&memory.pages[start], order);
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

/* Writes the descriptors of the next chunk and frees its usable memory. Returns false at the end of
 * memory. */
static bool chunk_open(void)
{
	uint64_t start = skip_giant(memory.next_chunk), end = start + CHUNK_BYTES;

	if (start >= memory.end)
		return false;
	memory.next_chunk = end;
	memset(&memory.pages[start / PAGE_SIZE], 0, sizeof(struct page) << PAGE_MAX_ORDER);
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t from = region->base > start ? region->base : start;
		uint64_t to =
		    region->base + region->bytes < end ? region->base + region->bytes : end;

		if (region->kind == BOOT_MEM_USABLE && from < to)
			reserved_gaps(from, to, range_free);
	}
	return true;
}

/* Merges loose pages back until `keep` are left. */
static void loose_drain(unsigned keep)
{
	while (memory.nr_loose > keep) {
		struct page *page = list_first(&memory.loose, struct page, link);

		list_remove(&page->link);
		KASSERT(memory.nr_loose > 0);
		memory.nr_loose--;
		block_free(page, 0);
	}
}

/* Takes 2^order pages that are whole free blocks in a row. */
static struct page *span_take(unsigned order)
{
	uint64_t wanted = 1ul << (order - PAGE_MAX_ORDER), run = 0;
	struct page *page;

	for (uint64_t start = 0; run < wanted; start += CHUNK_BYTES) {
		while (start >= memory.next_chunk)
			if (!chunk_open())
				return NULL;
		page = &memory.pages[start / PAGE_SIZE];
		if (skip_giant(start) == start && page->kind == PAGE_FREE &&
		    page->order == PAGE_MAX_ORDER)
			run++;
		else
			run = 0;
	}
	for (; run; run--, page -= 1ul << PAGE_MAX_ORDER) {
		block_remove(page);
		page->kind = PAGE_TAIL;
	}
	page += 1ul << PAGE_MAX_ORDER;
	page->order = (uint8_t)order;
	return page;
}

static void span_free(struct page *page)
{
	uint64_t nr = 1ul << (page->order - PAGE_MAX_ORDER);

	for (; nr; nr--, page += 1ul << PAGE_MAX_ORDER)
		block_insert(page, PAGE_MAX_ORDER);
}

static struct page *block_take(unsigned order)
{
	unsigned from;
	struct page *page;

	if (order > PAGE_MAX_ORDER)
		return span_take(order);
	while (!(memory.orders >> order)) {
		if (chunk_open())
			continue;
		if (!memory.nr_loose)
			return NULL;
		loose_drain(0);
	}
	from = order + (unsigned)__builtin_ctz(memory.orders >> order);
	page = list_first(&memory.free[from], struct page, link);
	block_remove(page);
	while (from > order) {
		from--;
		block_insert(page + (1ul << from), from);
	}
	page->order = order;
	return page;
}

/* Splits a block into loose pages. */
static __attribute__((noinline)) void loose_refill(void)
{
	struct page *page = NULL;

	if (memory.orders >> LOOSE_BATCH || chunk_open())
		page = block_take(LOOSE_BATCH);
	for (unsigned i = 0; page && i < 1u << LOOSE_BATCH; i++, memory.nr_loose++) {
		page[i].kind = PAGE_LOOSE;
		list_add_tail(&memory.loose, &page[i].link);
	}
}

static inline struct page *loose_take(void)
{
	struct page *page;

	if (list_empty(&memory.loose)) {
		loose_refill();
		if (list_empty(&memory.loose))
			return block_take(0);
	}
	page = list_first(&memory.loose, struct page, link);
	list_remove(&page->link);
	KASSERT(memory.nr_loose > 0);
	memory.nr_loose--;
	return page;
}

/* Inlined: with a constant order little code is left. */
static inline __attribute__((always_inline)) struct page *take(unsigned order, enum page_kind kind,
							       bool *zeros)
{
	uint64_t flags = spin_lock_irqsave(&memory.lock);
	struct page *page = order ? block_take(order) : loose_take();

	if (page) {
		*zeros = page->kind == PAGE_ZEROS;
		page->kind = kind;
		page->order = order;
		page->refs = 1;
		memory.available -= 1ul << order;
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

	memory.available += 1ul << page->order;
	if (page->order > PAGE_MAX_ORDER) {
		span_free(page);
	} else if (page->order) {
		block_free(page, page->order);
	} else {
		page->kind = single;
		list_add_head(&memory.loose, &page->link);
		if (++memory.nr_loose > LOOSE_LIMIT)
			loose_drain(LOOSE_LIMIT / 2);
	}
	spin_unlock_irqrestore(&memory.lock, flags);
}

PATCHED_FUNCTION void page_free_block(struct page *page)
{
	give(page, PAGE_LOOSE);
}

/* True if all of it is usable and unused. */
static bool giant_fits(uint64_t start)
{
	uint64_t end = start + PAGING_GIANT_BYTES;

	if (skip_giant(start) != start || reserved_pages(start, end))
		return false;
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE && region->base <= start &&
		    region->base + region->bytes >= end)
			return true;
	}
	return false;
}

/* Returns the highest memory without descriptors, or 0. */
static uint64_t giant_find(void)
{
	uint64_t start = memory.end & -PAGING_GIANT_BYTES;

	while (start >= PAGING_GIANT_BYTES + memory.next_chunk) {
		start -= PAGING_GIANT_BYTES;
		if (giant_fits(start))
			return start;
	}
	return 0;
}

struct page *giant_alloc(void)
{
	uint64_t flags = spin_lock_irqsave(&memory.lock), start = 0;
	struct page *page = NULL;

	if (memory.nr_giants < MAX_GIANTS)
		start = giant_find();
	if (start) {
		memory.giants[memory.nr_giants++] = start;
		memory.available -= PAGING_GIANT_BYTES / PAGE_SIZE;
		page = &memory.pages[start / PAGE_SIZE];
		memset(page, 0, sizeof(*page));
		page->kind = PAGE_HUGE;
		page->order = GIANT_ORDER;
		page->refs = 1;
	}
	spin_unlock_irqrestore(&memory.lock, flags);
	return page;
}

void giant_free(struct page *page)
{
	uint64_t flags = spin_lock_irqsave(&memory.lock),
		 start = (uint64_t)(page - memory.pages) * PAGE_SIZE;
	uint64_t end = start + PAGING_GIANT_BYTES;

	for (unsigned i = 0; i < memory.nr_giants; i++)
		if (memory.giants[i] == start)
			memory.giants[i] = memory.giants[--memory.nr_giants];
	memory.available += PAGING_GIANT_BYTES / PAGE_SIZE;
	/* Chunks were opened above it: it becomes one as well. Otherwise it can be opened later. */
	if (start < memory.next_chunk) {
		memset(page, 0, sizeof(*page) << GIANT_ORDER);
		range_free(start, end);
	}
	spin_unlock_irqrestore(&memory.lock, flags);
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
	return memory.available;
}

uint64_t memory_total_pages(void)
{
	return memory.total;
}

/* Start-up. */

void memory_init(void)
{
	uint64_t bytes, room;

	for (unsigned order = 0; order <= PAGE_MAX_ORDER; order++)
		list_init(&memory.free[order]);
	list_init(&memory.loose);
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
			memory.total += region->bytes / PAGE_SIZE -
					reserved_pages(region->base, region->base + region->bytes);
	}
	memory.available = memory.total;
}
