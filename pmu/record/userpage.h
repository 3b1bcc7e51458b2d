/* SPDX-License-Identifier: BSD-2-Clause */
/* The user page, from which a program reads its counter by RDPMC and the time by RDTSC. */
#ifndef PMU_RECORD_USERPAGE_H
#define PMU_RECORD_USERPAGE_H

#include "pmu/base/event.h"
#include "ringbuf/ring.h"

/* Writes the constant fields of a new ring's user page. Context: task. */
void userpage_begin(struct perf_event *owner, struct ring *ring);

/* Writes index, offset and times to the event's user page. */
void userpage_write(struct perf_event *event);

/* Updates the user page, if the event has one. Context: context_run(), or the PMI. */
static inline void userpage_update(struct perf_event *event)
{
	const struct ring *ring = event->ring; /* NULL: none, or inherited */

	if (ring && ring->owner == event)
		userpage_write(event);
}

/*
 * A running counter was reloaded: updates the base for readers of the user page; times stay valid.
 * Readers on this processor see both words change at once. Context: the PMI.
 */
static inline void userpage_reloaded(struct perf_event *event)
{
	const struct ring *ring = event->ring; /* NULL: none, or inherited */
	struct perf_event_mmap_page *page;

	if (!ring || ring->owner != event)
		return;
	page = ring->user_page;
	page->offset = (event->hw.user_read ? event->hw.base : event->count) + event->child_count;
	__atomic_store_n(&page->lock, page->lock + 2, __ATOMIC_RELEASE);
}

#endif
