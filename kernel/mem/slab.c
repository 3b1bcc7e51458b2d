/* SPDX-License-Identifier: BSD-2-Clause */
/* The object allocator: size classes, each in single pages; larger objects are blocks of pages. */
#include <stdbool.h>
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/log.h"
#include "kernel/base/patched.h"
#include "kernel/base/string.h"
#include "kernel/mem/page.h"

static const uint16_t class_bytes[] = {16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048};

/* The smallest class for n units of 16 bytes: avoids a search at each allocation. */
static const uint8_t class_of_units[] = {
    [0 ... 1] = 0,  [2] = 1,         [3 ... 4] = 2,   [5 ... 6] = 3,   [7 ... 8] = 4,
    [9 ... 12] = 5, [13 ... 16] = 6, [17 ... 32] = 7, [33 ... 64] = 8, [65 ... 128] = 9,
};

#define NR_CLASSES (sizeof(class_bytes) / sizeof(class_bytes[0]))
#define LARGEST    2048u

/* The link of a class's head, a slab without objects, lists the slabs with a free object. A full
 * one stays first until another one takes its place, so that allocating and freeing cost the same
 * for each object of a slab. */
static struct {
	struct spinlock lock;
	struct page head;
} classes[NR_CLASSES];

void kalloc_init(void)
{
	for (unsigned i = 0; i < NR_CLASSES; i++)
		list_init(&classes[i].head.link);
}

static unsigned class_of(size_t size)
{
	return class_of_units[(size + 15) / 16];
}

/* Returns the class's first slab, or its head, which has no object. */
static struct page *first_slab(unsigned class)
{
	return list_first(&classes[class].head.link, struct page, link);
}

/* Takes the class's first slab off the list if it is full. */
static void drop_full(unsigned class)
{
	struct page *first = first_slab(class);

	if (first == &classes[class].head || first->objects)
		return;
	list_remove(&first->link);
	list_init(&first->link);
}

/* Cuts a new page into objects. Called with the class's lock held. */
static __attribute__((noinline)) struct page *slab_new(unsigned class)
{
	struct page *page = page_alloc_block(0, PAGE_SLAB);
	char *start;

	if (!page)
		return NULL;
	page->used = 0;
	page->objects = NULL;
	start = page_address(page);
	for (unsigned i = PAGE_SIZE / class_bytes[class]; i-- > 0;) {
		void **object = (void **)(start + (size_t)i * class_bytes[class]);

		*object = page->objects;
		page->objects = object;
	}
	list_add_head(&classes[class].head.link, &page->link);
	page->order = class;
	return page;
}

/* Returns a slab with a free object, or NULL. Called with the class's lock held. */
static __attribute__((noinline)) struct page *next_slab(unsigned class)
{
	drop_full(class);
	return first_slab(class)->objects ? first_slab(class) : slab_new(class);
}

static void *small_alloc(unsigned class)
{
	uint64_t flags = spin_lock_irqsave(&classes[class].lock);
	struct page *page = first_slab(class);
	void **object = NULL;

	if (!page->objects)
		page = next_slab(class);
	if (page) {
		object = page->objects;
		page->objects = *object;
		page->used++;
	}
	spin_unlock_irqrestore(&classes[class].lock, flags);
	return object;
}

static void small_free(struct page *page, void **object)
{
	unsigned class = page->order;
	uint64_t flags = spin_lock_irqsave(&classes[class].lock);
	bool empty;

	if (list_empty(&page->link)) {
		drop_full(class);
		list_add_head(&classes[class].head.link, &page->link);
	}
	*object = page->objects;
	page->objects = object;
	/* One empty slab of a class is kept for the next object. */
	empty = !(--page->used | (page->link.next == page->link.prev));
	if (empty)
		list_remove(&page->link);
	spin_unlock_irqrestore(&classes[class].lock, flags);
	if (empty) {
		page->order = 0;
		page_free_block(page);
	}
}

static __attribute__((noinline)) void *large_alloc(size_t size, unsigned largest)
{
	unsigned order = 0;
	struct page *page;

	while (PAGE_SIZE << order < size)
		if (++order > largest)
			return NULL;
	page = page_alloc_block(order, PAGE_BLOCK);
	return page ? page_address(page) : NULL;
}

PATCHED_FUNCTION void *kalloc(size_t size)
{
	void *object =
	    size <= LARGEST ? small_alloc(class_of(size)) : large_alloc(size, PAGE_MAX_ORDER);

	if (object)
		memset(object, 0, size);
	return object;
}

void *kalloc_span(size_t size)
{
	return size <= LARGEST ? small_alloc(class_of(size)) : large_alloc(size, PAGE_SPAN_ORDER);
}

PATCHED_FUNCTION void kfree(void *object)
{
	struct page *page;

	if (!object)
		return;
	page = page_of(object);
	if (page->kind == PAGE_SLAB)
		small_free(page, object);
	else if (page->kind == PAGE_BLOCK)
		page_free_block(page);
	else
		panic("kfree(%p): not an object", object);
}

size_t kalloc_room(const void *object)
{
	const struct page *page = page_of(object);

	return page->kind == PAGE_SLAB ? class_bytes[page->order] : PAGE_SIZE << page->order;
}
