/* SPDX-License-Identifier: BSD-2-Clause */
/* Inline parts of trace_hit(), for the hottest trace points. */
#ifndef TRACE_HIT_H
#define TRACE_HIT_H

#include "pmu/base/event.h"
#include "trace/base/event.h"
#include "trace/base/perf.h"
#include "trace/base/program.h"

/* Counts the record, `number` times; a hit inside a BPF program (`in_program`) is not counted for
 * an event that excludes the kernel. Context: interrupts masked. */
static inline void hit_count(struct perf_event *event, const struct trace_record *record,
			     uint64_t number, bool in_program)
{
	const struct trace_filter *filter = event->origin->hw.filter;

	if ((!in_program && event->attr.exclude_kernel) ||
	    (filter && !trace_filter_match(filter, record->header)))
		return;
	if (event_is_sampling(event))
		tracepoint_sample(event, record, number);
	else
		__atomic_add_fetch(&event->count, (int64_t)number, __ATOMIC_RELAXED);
}

/* Runs the event's programs, then passes the record to this processor's list. Returns whether the
 * programs accepted it. Context: interrupts masked. */
static inline bool hit_emit(const struct trace_record *record, const struct list *here,
			    uint64_t number, bool in_program)
{
	struct perf_event *event;

	if (!programs_run(record))
		return false;
	list_for_each(event, here, hw.software_link)
		if (event->hw.running)
			hit_count(event, record, number, in_program);
	return true;
}

#endif
