/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of the debug kernel. Freed ones are poisoned and kept for a while, and must be unchanged
 * when they are used again, which detects stale mappings. References are counted with an upper and
 * a lower bound.
 */
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"
#include "kernel/debug/checks/fail.h"
#include "kernel/debug/checks/heap.h"
#include "kernel/debug/checks/pages.h"
#include "kernel/debug/place.h"
#include "kernel/debug/replace.h"
#include "kernel/mem/huge.h"
#include "kernel/mem/page.h"

#define FREED    0x5a5a5a5a5a5a5a5aul
#define POISONED 0x5a5a /* page->used of a free page whose words are all FREED */
#define KEPT     256    /* freed pages that are kept back */
#define MOST     (1u << 30)

static struct {
	struct spinlock lock;
	int64_t count, slabs;
	void *kept[KEPT]; /* a ring: the oldest is at `next` */
	unsigned next;
} pages;

static void poison(struct page *page)
{
	uint64_t *words = page_address(page);

	for (unsigned i = 0; i < PAGE_SIZE / sizeof(*words); i++)
		words[i] = FREED;
	page->used = POISONED;
}

/* A page is used again. */
static void check_poison(struct page *page)
{
	const uint64_t *words = page_address(page);

	if (page->used != POISONED)
		return;
	page->used = 0;
	for (unsigned i = 0; i < PAGE_SIZE / sizeof(*words); i++)
		if (words[i] != FREED)
			panic("check: page %p was changed after its end: word %u is %lx",
			      (const void *)words, i, words[i]);
}

static void check_block(struct page *page)
{
	for (unsigned i = 0; page && i < 1u << page->order; i++)
		check_poison(page + i);
}

/* The slab's and large objects' pages. */

REPLACE(struct page *, page_alloc_block, unsigned order, enum page_kind kind)
{
	struct page *page = __real_page_alloc_block(order, kind);

	if (!page) {
		pages_flush();
		page = __real_page_alloc_block(order, kind);
	}
	check_block(page);
	if (page && kind == PAGE_SLAB)
		__atomic_fetch_add(&pages.slabs, 1, __ATOMIC_RELAXED);
	return page;
}

REPLACE(void, page_free_block, struct page *page)
{
	if (page->kind != PAGE_SLAB && page->kind != PAGE_BLOCK &&
	    (page->kind != PAGE_HUGE || page->refs))
		panic("check: page %p is freed, but is of kind %u", page_address(page), page->kind);
	if (page->kind == PAGE_SLAB)
		__atomic_fetch_sub(&pages.slabs, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 1u << page->order; i++)
		poison(page + i);
	__real_page_free_block(page);
}

/* Single pages. */

REAL(page_alloc_dirty);
REAL(page_put);

static void *alloc_or_flush(void)
{
	void *page = __real_page_alloc_dirty();

	if (!page) {
		heap_flush();
		pages_flush();
		page = __real_page_alloc_dirty();
	}
	if (page) {
		check_poison(page_of(page));
		__atomic_fetch_add(&pages.count, 1, __ATOMIC_RELAXED);
	}
	return page;
}

REPLACE(void *, page_alloc_dirty, void)
{
	return fail_now(FAIL_PAGE, __builtin_return_address(0)) ? NULL : alloc_or_flush();
}

REPLACE(void *, page_alloc, void)
{
	void *page;

	if (fail_now(FAIL_PAGE, __builtin_return_address(0)))
		return NULL;
	page = alloc_or_flush();
	if (page)
		page_zero(page);
	return page;
}

/* The pages are zeroed already, so no old contents can leak. */
REPLACE(void *, pages_alloc, size_t bytes)
{
	void *first = NULL;

	if (!fail_now(FAIL_PAGE, __builtin_return_address(0)))
		first = __real_pages_alloc(bytes);
	if (first)
		__atomic_fetch_add(&pages.count, (int64_t)(bytes / PAGE_SIZE), __ATOMIC_RELAXED);
	return first;
}

REPLACE(void *, huge_take, enum huge_size size, bool promised)
{
	void *page = NULL;

	if (!fail_now(FAIL_PAGE, __builtin_return_address(0)))
		page = __real_huge_take(size, promised);
	__atomic_fetch_add(&pages.count, page != NULL, __ATOMIC_RELAXED);
	return page;
}

static void check_huge(const void *virt)
{
	const struct page *page = page_of(virt);

	if (page->kind != PAGE_HUGE || !page->refs || page->refs > MOST)
		panic("check: huge page %p has %u references and is of kind %u", virt, page->refs,
		      page->kind);
}

REPLACE(void, huge_get, void *virt)
{
	check_huge(virt);
	__real_huge_get(virt);
}

REPLACE(void, huge_put, void *virt)
{
	check_huge(virt);
	__atomic_fetch_sub(&pages.count, page_of(virt)->refs == 1, __ATOMIC_RELAXED);
	__real_huge_put(virt);
}

static void check_refs(const void *virt)
{
	const struct page *page = page_of(virt);

	if (page->kind != PAGE_USED || !page->refs || page->refs > MOST)
		panic("check: page %p has %u references and is of kind %u", virt, page->refs,
		      page->kind);
}

REPLACE(void, page_get, void *virt)
{
	check_refs(virt);
	__real_page_get(virt);
}

/* Keeps a freed page back. Returns the page that it displaces, or NULL. */
static void *keep(void *virt)
{
	uint64_t flags = spin_lock_irqsave(&pages.lock);
	void *old = pages.kept[pages.next];

	pages.kept[pages.next] = virt;
	pages.next = (pages.next + 1) % KEPT;
	__atomic_fetch_sub(&pages.count, 1, __ATOMIC_RELAXED);
	spin_unlock_irqrestore(&pages.lock, flags);
	return old;
}

static void let_go(void *virt)
{
	struct page *page = page_of(virt);

	if (page->refs || page->kind != PAGE_USED)
		panic("check: free page %p has %u references", virt, page->refs);
	check_poison(page);
	page->used = POISONED;
	page->refs = 1;
	__real_page_put(virt);
}

REPLACE(void, page_put, void *virt)
{
	struct page *page = page_of(virt);

	check_refs(virt);
	if (__atomic_sub_fetch(&page->refs, 1, __ATOMIC_ACQ_REL))
		return;
	poison(page);
	virt = keep(virt);
	if (virt)
		let_go(virt);
}

REPLACE(void, page_put_zeros, void *virt)
{
	const uint64_t *words = virt;

	for (unsigned i = 0; i < PAGE_SIZE / sizeof(*words); i++)
		if (words[i])
			panic("check: word %u of page %p is %lx, not 0", i, virt, words[i]);
	debug_page_put(virt);
}

void pages_flush(void)
{
	for (unsigned i = 0; i < KEPT; i++) {
		uint64_t flags = spin_lock_irqsave(&pages.lock);
		void *virt = pages.kept[i];

		pages.kept[i] = NULL;
		spin_unlock_irqrestore(&pages.lock, flags);
		if (virt)
			let_go(virt);
	}
}

int64_t pages_count(void)
{
	return pages.count;
}

int64_t pages_of_slabs(void)
{
	return pages.slabs;
}

REPLACE(uint64_t, memory_free_pages, void)
{
	heap_flush();
	pages_flush();
	return __real_memory_free_pages();
}
