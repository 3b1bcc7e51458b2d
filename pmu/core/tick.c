/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf tick, for rotation of flexible groups, throttled events, and frequencies of slow events.
 * Its one-shot timer is armed only while one of them needs it.
 */
#include "arch/x86/apic/tsc.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/record/sideband.h"

uint64_t mux_interval_ns = TICK_NS;

/* Restarts throttled events of the context. */
static void unthrottle(struct context *ctx)
{
	struct perf_event *event;

	list_for_each(event, &ctx->events, event_link) {
		if (!event->hw.throttled || event->state != EVENT_ACTIVE)
			continue;
		event->hw.throttled = false;
		records_throttle(event, false);
		event->pmu->start(event);
	}
}

/* Shortens the period of an event in frequency mode that had no sample for a tick. */
static void adapt_if_slow(struct perf_event *event, uint64_t now)
{
	const struct hw_event *hw = &event->hw;

	if (!event_has_frequency(event) || event->state != EVENT_ACTIVE || !hw->running ||
	    (int64_t)(now - hw->freq_stamp) < (int64_t)TICK_NS)
		return;
	event->pmu->stop(event);
	event_adapt_period(event, now);
	event->pmu->start(event);
}

static void adapt_slow(struct context *ctx, uint64_t now)
{
	struct perf_event *event;

	if (!ctx->nr_freq)
		return;
	list_for_each(event, &ctx->events, event_link)
		adapt_if_slow(event, now);
}

static bool wants_rotation(const struct pmu_cpu *cpu)
{
	return cpu->ctx.rotate || (cpu->task_ctx && cpu->task_ctx->rotate);
}

static bool still_needed(const struct pmu_cpu *cpu)
{
	return cpu->nr_throttled || cpu->ctx.nr_freq || wants_rotation(cpu) ||
	       (cpu->task_ctx && cpu->task_ctx->nr_freq);
}

static void tick(struct timer *timer, struct frame *frame)
{
	struct pmu_cpu *cpu = container_of(timer, struct pmu_cpu, tick);
	uint64_t now = clock_ns(), flags = irq_save();

	(void)frame;
	cpu->tick_armed = false;
	if (__atomic_exchange_n(&cpu->nr_throttled, 0, __ATOMIC_RELAXED)) {
		unthrottle(&cpu->ctx);
		if (cpu->task_ctx)
			unthrottle(cpu->task_ctx);
	}
	adapt_slow(&cpu->ctx, now);
	if (cpu->task_ctx)
		adapt_slow(cpu->task_ctx, now);
	if (wants_rotation(cpu) && now >= cpu->turn_ends) {
		sched_rotate(cpu);
		cpu->turn_ends = now + mux_interval_ns;
	}
	if (still_needed(cpu))
		tick_need(cpu);
	irq_restore(flags);
}

void tick_need(struct pmu_cpu *cpu)
{
	if (cpu->tick_armed)
		return;
	cpu->tick_armed = true;
	timer_arm(&cpu->tick, clock_ns() + TICK_NS);
}

void tick_init(struct pmu_cpu *cpu)
{
	timer_init(&cpu->tick, tick);
}
