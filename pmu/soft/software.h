/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting of software events one by one. Context of all: interrupts masked on the processor that
 * counts. */
#ifndef PMU_SOFTWARE_EVENTS_H
#define PMU_SOFTWARE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include "pmu/base/event.h"

extern const struct pmu software_pmu, cpu_clock_pmu, task_clock_pmu, breakpoint_pmu;
/* Counts `number` occurrences of a software event. Context: task or interrupt, interrupts
 * masked. */
void software_event(unsigned id, uint64_t number, struct frame *frame, uint64_t address);

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
