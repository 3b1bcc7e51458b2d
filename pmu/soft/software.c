/* SPDX-License-Identifier: BSD-2-Clause */
/* Software events that occur one by one: page faults, context switches, migrations, and events that
 * never occur here. */
#include <linux/errno.h>
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/soft/software.h"

/* Starts the next period after `period_left`, which counts from -period, reached 0. Returns the
 * number of periods that ended. */
static uint64_t next_period(struct hw_event *hw)
{
	uint64_t ended;

	hw->last_period = hw->period;
	if (hw->period_left < 0)
		return 0;
	ended = ((uint64_t)hw->period_left + hw->period) / hw->period;
	hw->period_left = (int64_t)((uint64_t)hw->period_left -
				    ended * hw->period); /* two periods may exceed an int64_t */
	return ended;
}

static __attribute__((noinline)) void overflows(struct perf_event *event, uint64_t number,
						struct frame *frame, uint64_t address,
						uint64_t period)
{
	bool may_throttle = false;

	for (; number && event->hw.running; number--) {
		if (event_overflow(event, frame, address, period, may_throttle))
			event->hw.running = false;
		may_throttle = true;
	}
}

/* Ends a period, or samples a single occurrence. */
static void overflow(struct perf_event *event, struct frame *frame, uint64_t address,
		     uint64_t period)
{
	if (event->hw.running && event_overflow(event, frame, address, period, false))
		event->hw.running = false;
}

/*
 * As on Linux every occurrence is a sample if samples carry the period and there is no frequency:
 * the periods add up to the count.
 */
void software_count(struct perf_event *event, uint64_t number, struct frame *frame,
		    uint64_t address)
{
	struct hw_event *hw = &event->hw;
	uint64_t period = hw->last_period;

	__atomic_add_fetch(&event->count, (int64_t)number, __ATOMIC_RELAXED);
	if (!event_is_sampling(event))
		return;
	if ((event->attr.sample_type & PERF_SAMPLE_PERIOD) && !event->attr.freq) {
		overflow(event, frame, address, number);
		return;
	}
	hw->period_left += (int64_t)number;
	if (hw->period_left < 0)
		return;
	if ((uint64_t)hw->period_left >= hw->period) {
		overflows(event, next_period(hw), frame, address, period);
		return;
	}
	hw->last_period = hw->period;
	hw->period_left -= (int64_t)hw->period;
	overflow(event, frame, address, period);
}

void software_event(unsigned id, uint64_t number, struct frame *frame, uint64_t address)
{
	const struct pmu_cpu *cpu = this_pmu_cpu();
	const struct context *ctx = &cpu->ctx;
	struct perf_event *event;

	while (ctx) {
		list_for_each(event, &ctx->software[id], hw.software_link)
			if (software_wants(event, frame))
				software_count(event, number, frame, address);
		ctx = ctx->of_cpu ? cpu->task_ctx : NULL;
	}
}

static void count_cgroup_switch(void)
{
	struct frame frame = {.rip = (uint64_t)(uintptr_t)count_cgroup_switch, .cs = 8};

	software_event(PERF_COUNT_SW_CGROUP_SWITCHES, 1, &frame, 0);
}

static int software_init(struct perf_event *event)
{
	uint64_t id = event->attr.config;

	if (event->attr.type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (id == PERF_COUNT_SW_CPU_CLOCK || id == PERF_COUNT_SW_TASK_CLOCK ||
	    id >= PERF_COUNT_SW_MAX)
		return -ENOENT;
	if (id == PERF_COUNT_SW_CGROUP_SWITCHES) {
		cgroup_switched = count_cgroup_switch;
		cgroup_watch(true);
	}
	return 0;
}

static void software_destroy(struct perf_event *event)
{
	if (event->attr.config == PERF_COUNT_SW_CGROUP_SWITCHES)
		cgroup_watch(false);
}

void software_start(struct perf_event *event)
{
	if (event_is_sampling(event))
		next_period(&event->hw);
	event->hw.running = true;
}

void software_stop(struct perf_event *event)
{
	event->hw.running = false;
}

static int software_add(struct perf_event *event)
{
	struct context *ctx = event->ctx;

	list_add_tail(&ctx->software[event->attr.config], &event->hw.software_link);
	ctx->software_kinds |= 1u << event->attr.config;
	software_kinds_changed(this_pmu_cpu());
	software_start(event);
	return 0;
}

void software_del(struct perf_event *event)
{
	event->hw.running = false;
	list_remove(&event->hw.software_link);
}

static void del(struct perf_event *event)
{
	struct context *ctx = event->ctx;

	software_del(event);
	if (!list_empty(&ctx->software[event->attr.config]))
		return;
	ctx->software_kinds &= ~(1u << event->attr.config);
	software_kinds_changed(this_pmu_cpu());
}

void software_read(struct perf_event *event)
{
	(void)event; /* the count is always up to date */
}

const struct pmu software_pmu = {
    .caps = PMU_SOFTWARE | PMU_NO_NMI | PMU_STEADY,
    .event_init = software_init,
    .destroy = software_destroy,
    .add = software_add,
    .del = del,
    .start = software_start,
    .stop = software_stop,
    .read = software_read,
};
