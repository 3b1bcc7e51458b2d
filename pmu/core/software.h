/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting of software events one by one. Context of all: interrupts masked on the processor that
 * counts. */
#ifndef PMU_SOFTWARE_EVENTS_H
#define PMU_SOFTWARE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "pmu/core/event.h"

/* Counts `number` occurrences for an active event; an overflow samples `frame` and `address`. */
void software_count(struct perf_event *event, uint64_t number, struct frame *frame,
		    uint64_t address);

/* True when the event counts in the ring of `frame`. */
static inline bool software_wants(const struct perf_event *event, const struct frame *frame)
{
	const struct perf_event_attr *attr = &event->attr;

	return event->hw.running &&
	       !(frame_is_user(frame) ? attr->exclude_user : attr->exclude_kernel);
}

/* Operations of struct pmu for such events; `add` is the PMU's own. */
void software_start(struct perf_event *event);
void software_stop(struct perf_event *event);
void software_del(struct perf_event *event);
void software_read(struct perf_event *event);

#endif
