/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the events that may count here: no counter may belong to an event that no list
 * contains. */
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/log.h"
#include "kernel/debug/audit.h"
#include "kernel/debug/checks/context.h"
#include "kernel/debug/replace.h"
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/hw/hw.h"

static void check_group(const struct perf_event *leader, const struct context *ctx)
{
	const struct perf_event *sibling;
	uint32_t count = 0;

	if (leader->leader != leader || leader->ctx != ctx)
		panic("check: event %lu leads a group, but is another's", leader->id);
	list_for_each(sibling, &leader->siblings, group_link) {
		count++;
		if (sibling->leader != leader || sibling->ctx != ctx)
			panic("check: event %lu is in the group of %lu, but is another's",
			      sibling->id, leader->id);
		if (sibling->state == EVENT_ACTIVE && leader->state != EVENT_ACTIVE)
			panic("check: event %lu counts without its leader %lu", sibling->id,
			      leader->id);
	}
	if (count != leader->nr_siblings)
		panic("check: event %lu has %u siblings and counts %u", leader->id, count,
		      leader->nr_siblings);
}

static void check_context_events(const struct context *ctx)
{
	const struct perf_event *event;

	list_for_each(event, &ctx->events, event_link) {
		if (!event->attached || event->ctx != ctx)
			panic("check: event %lu is in a list of a context that is not its",
			      event->id);
		if (event->state == EVENT_ACTIVE && !ctx->active && !event->steady)
			panic("check: event %lu counts while its context is off", event->id);
		if (event->leader == event)
			check_group(event, ctx);
	}
}

/* The owner of a counter is on, and in a context that counts here. */
static void check_counters(const struct pmu_cpu *cpu)
{
	const struct hw_cpu *hw = hw_this_cpu();

	for (unsigned i = 0; i < ASSIGN_COUNTERS; i++) {
		const struct perf_event *event = hw->events[i];

		if (!event)
			continue;
		if (!event->attached || event->state != EVENT_ACTIVE ||
		    (event->ctx != &cpu->ctx && event->ctx != cpu->task_ctx))
			panic("check: counter %u belongs to event %p, which is in no list that "
			      "counts here",
			      i, (const void *)event);
	}
}

void events_check(void)
{
	const struct pmu_cpu *cpu = this_pmu_cpu();

	if (!cpu || cpu->change_time)
		return;
	check_context_events(&cpu->ctx);
	if (cpu->task_ctx)
		check_context_events(cpu->task_ctx);
	check_counters(cpu);
}

/* No event of a task may stay on when the task leaves the processor. */
REPLACE(void, sched_task_out, struct pmu_cpu *cpu, struct context *ctx)
{
	__real_sched_task_out(cpu, ctx);
	if (checking)
		check_context_events(ctx);
}
