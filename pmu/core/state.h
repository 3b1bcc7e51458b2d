/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of an event's state, and the accounting of time in each. Inline: every enable, disable
 * and switch uses them. Context of all: context_run(). */
#ifndef PMU_STATE_H
#define PMU_STATE_H

#include "pmu/base/context.h"
#include "pmu/base/cpu.h"

static inline void fold_times(struct perf_event *event, uint64_t now)
{
	uint64_t time = context_time(event->ctx, now), delta = time - event->stamp;
	enum event_state state = effective_state(event);

	event->stamp = time;
	if (state >= EVENT_INACTIVE)
		event->time_enabled += delta;
	if (state == EVENT_ACTIVE)
		event->time_running += delta;
}

/* Changes the state and accumulates the times; also the siblings' when a leader is enabled or
 * disabled. */
static inline void event_set_state(struct perf_event *event, enum event_state state)
{
	uint64_t now;
	struct perf_event *sibling;

	if (event->state == state)
		return;
	now = change_now();
	fold_times(event, now);
	if ((event->state < EVENT_INACTIVE) != (state < EVENT_INACTIVE))
		event_for_each_sibling(sibling, event)
			fold_times(sibling, now);
	event->state = state;
}

#endif
