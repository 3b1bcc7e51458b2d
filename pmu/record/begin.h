/* SPDX-License-Identifier: BSD-2-Clause */
/* The start and the end of a record, inline for samples. Context of all: any. */
#ifndef PMU_RECORD_BEGIN_H
#define PMU_RECORD_BEGIN_H

#include "pmu/base/context.h"
#include "ringbuf/place.h"

static inline uint64_t record_header_word(uint32_t type, uint16_t misc, uint32_t size)
{
	return type | (uint64_t)misc << 32 | (uint64_t)size << 48;
}

static inline void record_header(struct ring_writer *w, uint32_t type, uint16_t misc, uint32_t size)
{
	ring_write_u64(w, record_header_word(type, misc, size));
}

/* Returns the size of a LOST record of the event. */
static inline uint32_t record_lost_bytes(const struct perf_event *origin)
{
	return 24 + (origin->attr.sample_id_all ? origin->id_size : 0);
}

/* Writes a LOST record for w->lost records (records.c). */
void record_lost(struct ring_writer *w, struct perf_event *origin);
/* records.c: requests a wake-up of the ring's readers. */
void record_wake(struct ring *ring, struct perf_event *origin);

/* Counts a record of an opened event that found no room. */
static inline void record_count_lost(struct perf_event *origin)
{
	__atomic_add_fetch(&origin->lost, 1, __ATOMIC_RELAXED);
}

/* As record_begin(), for the opened event and its ring; `size` is that of the whole record. */
static inline __attribute__((always_inline)) bool record_place(struct ring_writer *w,
							       struct perf_event *origin,
							       struct ring *ring, uint32_t type,
							       uint16_t misc, uint32_t size)
{
	if (!ring_reserve(w, ring, size, record_lost_bytes(origin), origin->attr.write_backward)) {
		if (ring->nr_pages)
			record_count_lost(origin);
		return false;
	}
	if (w->reports_lost)
		record_lost(w, origin);
	record_header(w, type, misc, size);
	return true;
}

/* As record_finish(), for the opened event. */
static inline void record_publish(struct ring_writer *w, struct perf_event *origin)
{
	if (ring_finish(w))
		record_wake(w->ring, origin);
}

#endif
