/* SPDX-License-Identifier: BSD-2-Clause */
/* The pool of huge pages: blocks of the page allocator that are kept for mappings. */
#include "kernel/mem/huge.h"
#include "kernel/mem/page.h"

#define HUGE_ORDER (HUGE_PAGE_SHIFT - 12)

static struct {
	struct list pages; /* free ones */
	struct huge_counts counts;
	uint64_t wanted; /* pages */
} pool = {.pages = {&pool.pages, &pool.pages}};

void huge_counts(struct huge_counts *counts)
{
	*counts = pool.counts;
	counts->surplus = pool.counts.total > pool.wanted ? pool.counts.total - pool.wanted : 0;
}

static void add_free(struct page *page)
{
	page->refs = 0;
	list_add_head(&pool.pages, &page->link);
	pool.counts.free++;
}

static struct page *take_free(void)
{
	struct page *page = list_first(&pool.pages, struct page, link);

	list_remove(&page->link);
	pool.counts.free--;
	return page;
}

/* Gives back a page that is more than wanted and neither used nor promised; false: there is none.
 */
static bool trim_one(void)
{
	if (pool.counts.total <= pool.wanted || pool.counts.free <= pool.counts.reserved)
		return false;
	page_free_block(take_free());
	pool.counts.total--;
	return true;
}

static void trim(void)
{
	while (trim_one())
		;
}

/* A sixteenth of memory is for everything else. */
static bool can_spare(void)
{
	return memory_free_pages() > memory_total_pages() / 16 + (1u << HUGE_ORDER);
}

/* Takes another page of the allocator's; false: there is none to spare. */
static bool grow_one(void)
{
	struct page *page = can_spare() ? page_alloc_block(HUGE_ORDER, PAGE_HUGE) : NULL;

	if (!page)
		return false;
	pool.counts.total++;
	add_free(page);
	return true;
}

bool huge_resize(uint64_t pages)
{
	pool.wanted = pages;
	if (trim_one())
		return true;
	if (pool.counts.total >= pages)
		return false;
	if (grow_one())
		return true;
	pool.wanted = pool.counts.total;
	return false;
}

bool huge_reserve(uint64_t pages)
{
	if (pool.counts.free - pool.counts.reserved < pages)
		return false;
	pool.counts.reserved += pages;
	return true;
}

void huge_unreserve(uint64_t pages)
{
	pool.counts.reserved -= pages;
	trim();
}

void *huge_take(bool promised)
{
	struct page *page;

	if (!promised && pool.counts.free == pool.counts.reserved)
		return NULL;
	page = take_free();
	pool.counts.reserved -= promised;
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

	if (--page->refs)
		return;
	add_free(page);
	trim();
}

unsigned huge_refs(const void *page)
{
	return page_of(page)->refs;
}
