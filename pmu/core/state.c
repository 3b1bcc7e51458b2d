/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of one event, its times, and its ioctls. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "pmu/base/context.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/core/state.h"
#include "pmu/record/userpage.h"

/* True if the event always fits and has no group: it is on or off in one step. */
static inline bool is_simple(const struct perf_event *event)
{
	return event->leader == event && !event->nr_siblings && event_is_software(event) &&
	       !event->cgroup && !event->pending_disable;
}

/* Starts a simple event; a PMU that has no room after all is asked again the long way. */
static inline void start_simple(struct perf_event *event)
{
	fold_times(event, change_now());
	event->state = EVENT_ACTIVE;
	if (event->pmu->add(event)) {
		event->state = EVENT_INACTIVE;
		sched_event_ready(event);
	}
}

static inline bool may_start_simple(const struct perf_event *event)
{
	return is_simple(event) && !event->hw.throttled && (event->ctx->active || event->steady) &&
	       event_matches_cpu(event);
}

static void enable(void *argument)
{
	struct perf_event *event = argument;
	bool outermost = change_begin();

	if (!event_group_runs(event) && event->state < EVENT_INACTIVE) {
		event->away = true; /* until a task of its group runs */
	} else if (event->state == EVENT_OFF || event->state == EVENT_ERROR) {
		if (may_start_simple(event)) {
			start_simple(event);
		} else {
			event_set_state(event, EVENT_INACTIVE);
			sched_event_ready(event);
		}
		userpage_update(event);
	}
	change_end(outermost);
}

void event_enable(struct perf_event *event)
{
	context_run(event->ctx, enable, event);
}

static void disable(void *argument)
{
	struct perf_event *event = argument;
	bool outermost = change_begin();

	event->away = false;
	if (event->state == EVENT_ACTIVE && is_simple(event)) {
		event->pmu->del(event);
		fold_times(event, change_now());
		event->state = EVENT_OFF;
		userpage_update(event);
	} else if (event->state >= EVENT_INACTIVE) {
		if (event->leader == event)
			group_sched_out(event);
		else
			event_sched_out(event);
		event_set_state(event, EVENT_OFF);
		userpage_update(event);
	}
	change_end(outermost);
}

void event_disable(struct perf_event *event)
{
	context_run(event->ctx, disable, event);
}

static inline __attribute__((always_inline)) void reset(void *argument)
{
	struct perf_event *event = argument;

	if (event->state == EVENT_ACTIVE)
		event->pmu->read(event);
	__atomic_sub_fetch(&event->hw.base, event->count, __ATOMIC_RELAXED);
	__atomic_store_n(&event->count, 0, __ATOMIC_RELAXED);
	userpage_update(event);
}

void event_reset(struct perf_event *event)
{
	if (!context_is_here(event->ctx)) {
		remote_call(event->ctx->cpu, reset, event);
		return;
	}
	irq_disable();
	reset(event);
	irq_enable();
}

struct period_change {
	struct perf_event *event;
	uint64_t value;
};

static void change_period(void *argument)
{
	const struct period_change *change = argument;
	struct perf_event *event = change->event;
	uint64_t value = change->value;
	bool active = event->state == EVENT_ACTIVE;

	if (active)
		event->pmu->stop(event);
	if (event->attr.freq) {
		event->attr.sample_freq = value;
	} else {
		event->attr.sample_period = value;
		event->hw.period = value;
	}
	event->hw.period_left = 0;
	if (active) {
		event->hw.throttled = false;
		event->pmu->start(event);
	}
}

int event_set_period(struct perf_event *event, uint64_t value)
{
	struct period_change change = {event, value};

	if (!event_is_sampling(event) || !value)
		return -EINVAL;
	if (event->attr.freq && value > perf_limits.sample_rate)
		return -EINVAL;
	if (event->pmu->check_period && event->pmu->check_period(event, value))
		return -EINVAL;
	if (!event->attr.freq && value >> 63)
		return -EINVAL;
	context_run(event->ctx, change_period, &change);
	return 0;
}
