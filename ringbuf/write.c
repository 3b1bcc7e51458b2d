/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing records: reserve, write, publish. Safe against writers that interrupt this one, NMIs
 *included.
 *
 * Barriers, and those of the reader in the application that they pair with:
 *	kernel                          application
 *	load data_tail                  load data_head
 *	A (control dependency)          C (load acquire)
 *	store data                      load data
 *	B (store release)               D (store release)
 *	store data_head                 store data_tail
 * A pairs with D: nothing is overwritten that the application still reads. B pairs with C: it sees
 *the data below data_head.
 */
#include "ringbuf/ring.h"
#include <stddef.h>
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"

/* Whether `bytes` fit; one byte always stays free so that a full buffer differs from an empty one.
 * data_tail is hostile: any value only makes more or less room. */
static bool has_room(const struct ring *ring, uint64_t head, uint32_t bytes, bool backward)
{
	uint64_t tail = __atomic_load_n(&ring->user_page->data_tail, __ATOMIC_RELAXED);
	uint64_t used = backward ? tail - head : head - tail;

	return ((ring_data_bytes(ring) - 1 - used) & (ring_data_bytes(ring) - 1)) >= bytes;
}

/* Where the record begins: the writer's page and place in it. */
static void set_place(struct ring_writer *writer, uint64_t offset)
{
	struct ring *ring = writer->ring;
	char *page;

	writer->page = (offset >> 12) & (ring->nr_pages - 1);
	page = ring->pages[writer->page];
	writer->at = (uint64_t *)(page + (offset & (PAGE_SIZE - 1)));
	writer->end = (uint64_t *)(page + PAGE_SIZE);
}

/*
 * Publishes the head if this is the outermost writer. An inner writer that comes between the last
 * look at `head` and nest = 0 sees nest > 1 and leaves the head to us: so we look again afterwards.
 */
static inline void publish(struct ring *ring)
{
	uint64_t head;

	if (ring->nest > 1) {
		__atomic_store_n(&ring->nest, ring->nest - 1, __ATOMIC_RELAXED);
		return;
	}
	for (;;) {
		head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->user_page->data_head, head,
				 __ATOMIC_RELEASE); /* B, pairs with C */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n(&ring->nest, 0, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (__atomic_load_n(&ring->head, __ATOMIC_RELAXED) == head)
			return;
		__atomic_store_n(&ring->nest, 1, __ATOMIC_RELAXED);
	}
}

/* Counts a record that will not come. */
static void ring_count_lost(struct ring *ring)
{
	__atomic_add_fetch(&ring->lost, 1, __ATOMIC_RELAXED);
}

/* Moves the head by `bytes` if they fit; the new record lies at *offset. */
static bool take_space(struct ring *ring, uint32_t bytes, bool backward, uint64_t *offset)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED), next;

	do {
		if (!ring->overwrite && !has_room(ring, head, bytes, backward))
			return false;
		next = backward ? head - bytes : head + bytes;
		/* A, pairs with D: the data is stored only after the branch above. */
	} while (!__atomic_compare_exchange_n(&ring->head, &head, next, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	*offset = backward ? next : head;
	return true;
}

bool ring_reserve(struct ring_writer *writer, struct ring *ring, uint32_t bytes,
		  uint32_t lost_bytes, bool backward)
{
	uint64_t offset, progress;

	if (ring->paused) {
		if (ring->nr_pages)
			ring_count_lost(ring);
		return false;
	}
	writer->ring = ring;
	writer->tells_lost = __atomic_load_n(&ring->lost, __ATOMIC_RELAXED) != 0;
	if (writer->tells_lost)
		bytes += lost_bytes;
	__atomic_store_n(&ring->nest, ring->nest + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	writer->wakeup = __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED);
	if (!take_space(ring, bytes, backward, &offset)) {
		ring_count_lost(ring);
		publish(ring);
		return false;
	}
	progress = backward ? -offset : offset + bytes;
	if (progress - __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED) > ring->watermark)
		__atomic_add_fetch(&ring->wakeup, ring->watermark, __ATOMIC_RELAXED);
	set_place(writer, offset);
	if (writer->tells_lost)
		writer->lost = __atomic_exchange_n(&ring->lost, 0, __ATOMIC_RELAXED);
	return true;
}

void ring_next_page(struct ring_writer *writer)
{
	struct ring *ring = writer->ring;

	writer->page = (writer->page + 1) & (ring->nr_pages - 1);
	writer->at = ring->pages[writer->page];
	writer->end = writer->at + PAGE_SIZE / sizeof(uint64_t);
}

void ring_write_string(struct ring_writer *writer, const char *text, uint32_t bytes)
{
	for (; bytes; bytes -= sizeof(uint64_t)) {
		union {
			char text[sizeof(uint64_t)];
			uint64_t value;
		} word = {.value = 0};

		for (unsigned i = 0; i < sizeof(uint64_t) && *text; i++)
			word.text[i] = *text++;
		ring_write_u64(writer, word.value);
	}
}

uint32_t ring_write_user(struct ring_writer *writer, uint64_t from, uint32_t bytes)
{
	uint32_t done = 0;
	bool readable = true;

	while (bytes) {
		uint32_t room = (uint32_t)((char *)writer->end - (char *)writer->at);
		uint32_t part = bytes < room ? bytes : room, got = 0;

		if (readable)
			got = (uint32_t)peek_user(writer->at, from + done, part);
		readable = readable && got == part;
		for (uint32_t i = got; i < part; i++)
			((char *)writer->at)[i] = 0;
		done += got;
		bytes -= part;
		writer->at += part / sizeof(uint64_t);
		if (writer->at == writer->end)
			ring_next_page(writer);
	}
	return done;
}

void ring_count_event(struct ring *ring, uint32_t wakeup_events)
{
	if (__atomic_add_fetch(&ring->events, 1, __ATOMIC_RELAXED) < wakeup_events)
		return;
	__atomic_sub_fetch(&ring->events, wakeup_events, __ATOMIC_RELAXED);
	__atomic_add_fetch(&ring->wakeup, 1, __ATOMIC_RELAXED);
}

bool ring_finish(struct ring_writer *writer)
{
	struct ring *ring = writer->ring;

	publish(ring);
	return __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED) != writer->wakeup;
}
