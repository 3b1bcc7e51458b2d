/* SPDX-License-Identifier: BSD-2-Clause */
/* Life of a ring buffer: its pages. */
#include <stddef.h>
#include "kernel/base/assert.h"
#include "kernel/mem/memory.h"
#include "ringbuf/ring.h"

_Static_assert(offsetof(struct perf_event_mmap_page, data_head) == 1024, "Linux's ABI");
_Static_assert(offsetof(struct perf_event_mmap_page, data_size) == 1048, "Linux's ABI");

/* Returns the number of data pages that may have been written to; only records ever are. */
static uint32_t pages_written(const struct ring *ring)
{
	return ring->head < ring_data_bytes(ring)
		   ? (uint32_t)((ring->head + PAGE_SIZE - 1) / PAGE_SIZE)
		   : ring->nr_pages;
}

static void free_pages(struct ring *ring)
{
	uint32_t written = pages_written(ring);

	for (uint32_t i = 0; i < ring->nr_pages && ring->pages[i]; i++)
		(i < written ? page_put : page_put_zeros)(ring->pages[i]);
	if (ring->user_page)
		page_put(ring->user_page);
	kfree(ring);
}

static bool alloc_pages(struct ring *ring)
{
	ring->user_page = page_alloc();
	if (!ring->user_page)
		return false;
	for (uint32_t i = 0; i < ring->nr_pages; i++) {
		ring->pages[i] = page_alloc();
		if (!ring->pages[i])
			return false;
	}
	return true;
}

static void init_user_page(struct ring *ring)
{
	struct perf_event_mmap_page *page = ring->user_page;

	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->data_size = ring_data_bytes(ring);
}

struct ring *ring_new(uint32_t nr_pages, uint64_t watermark, bool writable)
{
	struct ring *ring;
	uint64_t bytes = (uint64_t)nr_pages << 12;

	if (nr_pages + 1ul > memory_free_pages())
		return NULL;
	ring = kalloc(sizeof(*ring) + nr_pages * sizeof(ring->pages[0]));
	if (!ring)
		return NULL;
	ring->nr_pages = nr_pages;
	ring->mask = bytes - 1;
	if (!alloc_pages(ring)) {
		free_pages(ring);
		return NULL;
	}
	ring->refs = 1;
	ring->overwrite = !writable;
	ring->paused = nr_pages == 0;
	ring->watermark = watermark && watermark < bytes ? watermark
			  : watermark                    ? bytes
							 : bytes / 2;
	list_init(&ring->users);
	init_user_page(ring);
	return ring;
}

void ring_get(struct ring *ring)
{
	__atomic_add_fetch(&ring->refs, 1, __ATOMIC_RELAXED);
}

void ring_put(struct ring *ring)
{
	KASSERT(ring->refs > 0);
	if (__atomic_sub_fetch(&ring->refs, 1, __ATOMIC_ACQ_REL) == 0)
		free_pages(ring);
}

void *ring_page(const struct ring *ring, uint64_t index)
{
	if (index == 0)
		return ring->user_page;
	return index <= ring->nr_pages ? ring->pages[index - 1] : NULL;
}
