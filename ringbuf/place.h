/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reserves space for a record and publishes it. Safe against writers that interrupt this one, NMIs
 * included. Inline: a sample takes a few dozen instructions.
 *
 * Memory barriers, each named by a letter; C and D are in the application's reader:
 *         kernel                          application
 *         load data_tail                  load data_head
 *         A (control dependency)          C (load acquire)
 *         store data                      load data
 *         B (store release)               D (store release)
 *         store data_head                 store data_tail
 * A pairs with D: the kernel never overwrites data that the application still reads. B pairs with
 * C: the application sees all data below data_head.
 */
#ifndef RINGBUF_PLACE_H
#define RINGBUF_PLACE_H

#include "kernel/base/assert.h"
#include "kernel/mem/memory.h"
#include "ringbuf/ring.h"

/* Whether `bytes` fit; one byte always stays free so that a full buffer differs from an empty one.
 * data_tail is hostile: any value only makes more or less room. */
static inline bool ring_has_room(const struct ring *ring, uint64_t head, uint32_t bytes,
				 bool backward)
{
	uint64_t tail = __atomic_load_n(&ring->user_page->data_tail, __ATOMIC_RELAXED);
	uint64_t used = backward ? tail - head : head - tail;

	return ((ring->mask - used) & ring->mask) >= bytes;
}

/* Where the record begins: the writer's page and place in it. */
static inline void ring_set_place(struct ring_writer *writer, uint64_t offset)
{
	struct ring *ring = writer->ring;
	char *page;

	writer->page = (uint32_t)((offset & ring->mask) / PAGE_SIZE);
	page = ring->pages[writer->page];
	writer->at = (uint64_t *)(page + (offset & (PAGE_SIZE - 1)));
	writer->end = (uint64_t *)(page + PAGE_SIZE);
}

/*
 * Publishes the head if this is the outermost writer. An inner writer that comes between the last
 * look at `head` and nest = 0 sees nest > 1 and leaves the head to us: so we look again afterwards.
 */
static inline __attribute__((always_inline)) void ring_publish(struct ring *ring)
{
	uint64_t head;

	KASSERT(ring->nest >= 1);
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

/* Counts a lost record. */
static inline void ring_count_lost(struct ring *ring)
{
	__atomic_add_fetch(&ring->lost, 1, __ATOMIC_RELAXED);
}

/* Moves the head by `bytes` and returns the new record's position in *offset; false if there is no
 * room. */
static inline bool ring_take_space(struct ring *ring, uint32_t bytes, bool backward,
				   uint64_t *offset)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED), next;

	do {
		if (!ring->overwrite && !ring_has_room(ring, head, bytes, backward))
			return false;
		next = backward ? head - bytes : head + bytes;
		/* A, pairs with D: the data is stored only after the branch above. */
	} while (!__atomic_compare_exchange_n(&ring->head, &head, next, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	*offset = backward ? next : head;
	return true;
}

/* Reserves `bytes` for a record, returns its position in *offset, and advances `wakeup`. False, and
 * the loss is counted, if the ring is full. The caller handles paused rings and LOST records. */
static inline __attribute__((always_inline)) bool ring_take(struct ring_writer *writer,
							    struct ring *ring, uint32_t bytes,
							    bool backward, uint64_t *offset)
{
	uint64_t progress;

	writer->ring = ring;
	__atomic_store_n(&ring->nest, ring->nest + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	writer->wakeup = __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED);
	if (!ring_take_space(ring, bytes, backward, offset)) {
		ring_count_lost(ring);
		ring_publish(ring);
		return false;
	}
	progress = backward ? -*offset : *offset + bytes;
	if (progress - __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED) > ring->watermark)
		__atomic_add_fetch(&ring->wakeup, ring->watermark, __ATOMIC_RELAXED);
	return true;
}

/*
 * Fast path of ring_reserve(): no pending LOST record, forward ring, record within one page.
 * Sets writer->at; false, with nothing changed, if a condition does not hold or a nested writer
 * moved the head. End the record as after ring_reserve().
 */
static inline __attribute__((always_inline)) bool
ring_take_in_page(struct ring_writer *writer, struct ring *ring, uint32_t bytes)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	uint64_t in_page = head & (PAGE_SIZE - 1);

	if (ring->paused || in_page + bytes > PAGE_SIZE ||
	    __atomic_load_n(&ring->lost, __ATOMIC_RELAXED) ||
	    (!ring->overwrite && !ring_has_room(ring, head, bytes, false)))
		return false;
	writer->ring = ring;
	__atomic_store_n(&ring->nest, ring->nest + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	writer->wakeup = __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED);
	/* A, pairs with D: as in ring_take_space(). */
	if (!__atomic_compare_exchange_n(&ring->head, &head, head + bytes, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED)) {
		ring_publish(ring);
		return false;
	}
	if (head + bytes - __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED) > ring->watermark)
		__atomic_add_fetch(&ring->wakeup, ring->watermark, __ATOMIC_RELAXED);
	writer->at = (uint64_t *)((char *)ring->pages[(head & ring->mask) / PAGE_SIZE] + in_page);
	return true;
}

/*
 * Reserves `bytes` (a multiple of 8) for a record. If records were lost before, reserves
 * `lost_bytes` more and sets writer->reports_lost: the caller must write the LOST record first.
 * `backward`: from high to low offsets. Returns false and counts the loss if there is no room. Fill
 * the record with ring_write_*() and end it with ring_finish(). Context: any, NMI included.
 */
static inline __attribute__((always_inline)) bool ring_reserve(struct ring_writer *writer,
							       struct ring *ring, uint32_t bytes,
							       uint32_t lost_bytes, bool backward)
{
	uint64_t offset;

	if (ring->paused) {
		if (ring->nr_pages)
			ring_count_lost(ring);
		return false;
	}
	writer->reports_lost = __atomic_load_n(&ring->lost, __ATOMIC_RELAXED) != 0;
	if (writer->reports_lost)
		bytes += lost_bytes;
	if (!ring_take(writer, ring, bytes, backward, &offset))
		return false;
	ring_set_place(writer, offset);
	if (writer->reports_lost)
		writer->lost = __atomic_exchange_n(&ring->lost, 0, __ATOMIC_RELAXED);
	return true;
}

/* Ends the record and publishes what is complete. True when readers should be woken. Context: any,
 * NMI included. */
static inline bool ring_finish(struct ring_writer *writer)
{
	struct ring *ring = writer->ring;

	ring_publish(ring);
	return __atomic_load_n(&ring->wakeup, __ATOMIC_RELAXED) != writer->wakeup;
}

#endif
