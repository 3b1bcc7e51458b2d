/* SPDX-License-Identifier: BSD-2-Clause */
/* The pools of huge pages: blocks of the page allocator, and giant ones, kept for mappings. */
#include "kernel/base/assert.h"
#include "kernel/base/cmdline.h"
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/mem/huge.h"
#include "kernel/mem/page.h"

static struct pool {
	struct list pages; /* free ones */
	struct huge_counts counts;
	uint64_t wanted; /* pages */
} pools[HUGE_SIZES] = {
    [HUGE_2M] = {.pages = {&pools[HUGE_2M].pages, &pools[HUGE_2M].pages}},
    [HUGE_1G] = {.pages = {&pools[HUGE_1G].pages, &pools[HUGE_1G].pages}},
};

bool huge_there(enum huge_size size)
{
	return size != HUGE_1G || paging_has_giant();
}

void huge_counts(enum huge_size size, struct huge_counts *counts)
{
	const struct pool *pool = &pools[size];

	*counts = pool->counts;
	counts->surplus = counts->total > pool->wanted ? counts->total - pool->wanted : 0;
}

/* Bytes to zero between two pauses. */
#define ZERO_AT_ONCE PAGING_LARGE_BYTES

static void add_free(struct pool *pool, struct page *page)
{
	page->refs = 0;
	page->used = 0;
	list_add_head(&pool->pages, &page->link);
	pool->counts.free++;
}

static struct page *take_free(struct pool *pool)
{
	struct page *page = list_first(&pool->pages, struct page, link);

	list_remove(&page->link);
	page->used = 0;
	pool->counts.free--;
	return page;
}

static void give_back(struct page *page)
{
	if (page->order == GIANT_ORDER)
		giant_free(page);
	else
		page_free_block(page);
}

/* Frees a surplus page that is neither used nor reserved; false: there is none. */
static bool trim_one(struct pool *pool)
{
	if (pool->counts.total <= pool->wanted || pool->counts.free <= pool->counts.reserved)
		return false;
	give_back(take_free(pool));
	pool->counts.total--;
	return true;
}

static void trim(struct pool *pool)
{
	while (trim_one(pool))
		;
}

/* 1/16 of memory is reserved for other uses. */
static bool can_spare(enum huge_size size)
{
	return memory_free_pages() > memory_total_pages() / 16 + huge_bytes(size) / PAGE_SIZE;
}

/* Takes another page from the allocator; false: none can be spared. */
static bool grow_one(enum huge_size size)
{
	struct page *page = NULL;

	if (can_spare(size))
		page = size == HUGE_1G ? giant_alloc()
				       : page_alloc_block(HUGE_PAGE_SHIFT - 12, PAGE_HUGE);
	if (!page)
		return false;
	pools[size].counts.total++;
	add_free(&pools[size], page);
	return true;
}

bool huge_resize(enum huge_size size, uint64_t pages)
{
	struct pool *pool = &pools[size];

	pool->wanted = pages;
	if (trim_one(pool))
		return true;
	if (pool->counts.total >= pages)
		return false;
	if (grow_one(size))
		return true;
	pool->wanted = pool->counts.total;
	return false;
}

void huge_init(void)
{
	enum huge_size size = cmdline_is("hugepagesz", "1G") ? HUGE_1G : HUGE_2M;
	char value[24];
	uint64_t pages;

	if (!cmdline_value("hugepages", value, sizeof(value)) ||
	    number_read(value, 10, INT64_MAX, &pages) || !huge_there(size))
		return;
	while (huge_resize(size, pages))
		;
}

bool huge_reserve(enum huge_size size, uint64_t pages)
{
	struct huge_counts *counts = &pools[size].counts;

	if (counts->free - counts->reserved < pages)
		return false;
	counts->reserved += pages;
	return true;
}

void huge_unreserve(enum huge_size size, uint64_t pages)
{
	pools[size].counts.reserved -= pages;
	trim(&pools[size]);
}

bool huge_zero_some(enum huge_size size)
{
	struct pool *pool = &pools[size];
	struct page *page;
	char *from;

	if (list_empty(&pool->pages))
		return true;
	page = list_first(&pool->pages, struct page, link);
	from = (char *)page_address(page) + page->used * ZERO_AT_ONCE;
	if (page->used * ZERO_AT_ONCE == huge_bytes(size))
		return true;
	for (uint64_t at = 0; at < ZERO_AT_ONCE; at += PAGE_SIZE)
		page_zero(from + at);
	return ++page->used * ZERO_AT_ONCE == huge_bytes(size);
}

void *huge_take(enum huge_size size, bool promised)
{
	struct pool *pool = &pools[size];
	struct page *page;

	if (!promised && pool->counts.free == pool->counts.reserved)
		return NULL;
	page = take_free(pool);
	pool->counts.reserved -= promised;
	page->refs = 1;
	return page_address(page);
}

void huge_get(void *page)
{
	page_of(page)->refs++;
}

void huge_put(void *virt)
{
	struct page *page = page_of(virt);
	struct pool *pool = &pools[page->order == GIANT_ORDER ? HUGE_1G : HUGE_2M];

	KASSERT(page->refs > 0);
	if (--page->refs)
		return;
	add_free(pool, page);
	trim(pool);
}

unsigned huge_refs(const void *page)
{
	return page_of(page)->refs;
}
