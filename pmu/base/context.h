/* SPDX-License-Identifier: BSD-2-Clause */
/* An event's context, state and times, inline for every part of pmu/. */
#ifndef PMU_CONTEXT_H
#define PMU_CONTEXT_H

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/remote.h"
#include "pmu/base/event.h"
#include "pmu/base/hardware.h"

/* True when the context may be changed here: it is active on this processor or on none. */
static inline bool context_is_here(const struct context *ctx)
{
	return !ctx->active || ctx->cpu == this_cpu_read(id);
}

/*
 * Runs fn on the context's processor (or here, if the context is not active) with interrupts
 * masked: a context and its events change in no other way. The task cannot migrate during the call,
 * which would need the kernel lock. Context: task or interrupt.
 */
static inline void context_run(const struct context *ctx, remote_fn *fn, void *argument)
{
	uint64_t flags;

	if (!context_is_here(ctx)) {
		remote_call(ctx->cpu, fn, argument);
		return;
	}
	flags = irq_save();
	fn(argument);
	irq_restore(flags);
}

/* Returns the context's time in ns at `now` of clock_ns(). Context: any. */
static inline uint64_t context_time(const struct context *ctx, uint64_t now)
{
	return ctx->active ? now + ctx->offset : ctx->time;
}

/* Returns the state with the leader's taken into account: a group is off while its leader is. */
static inline enum event_state effective_state(const struct perf_event *event)
{
	enum event_state leader = event->leader->state;

	return leader <= EVENT_OFF ? leader : event->state;
}

/* Returns the times enabled and counting up to `now` (clock_ns()), excluding children. Context:
 * any. */
static inline void event_times(const struct perf_event *event, uint64_t now, uint64_t *enabled,
			       uint64_t *running)
{
	uint64_t delta = context_time(event->ctx, now) - event->stamp;
	enum event_state state = effective_state(event);

	*enabled = event->time_enabled + (state >= EVENT_INACTIVE ? delta : 0);
	*running = event->time_running + (state == EVENT_ACTIVE ? delta : 0);
}

#endif
