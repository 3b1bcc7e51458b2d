/* SPDX-License-Identifier: BSD-2-Clause */
/* The events cpu-clock and task-clock: they count nanoseconds, and sample by one-shot timers. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "pmu/base/context.h"
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/soft/software.h"

#define SHORTEST_PERIOD 10000 /* ns, as Linux */

static int clock_init_event(struct perf_event *event, uint64_t id)
{
	struct hw_event *hw = &event->hw;

	if (event->attr.type != PERF_TYPE_SOFTWARE || event->attr.config != id)
		return -ENOENT;
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (event_is_sampling(event) && event->attr.freq) {
		/* The frequency of a clock is a fixed period. */
		event->attr.sample_period = NS_PER_SECOND / event->attr.sample_freq;
		event->attr.freq = 0;
		hw->period = hw->last_period = event->attr.sample_period;
		hw->period_left = (int64_t)hw->period;
	}
	return 0;
}

static int cpu_clock_init(struct perf_event *event)
{
	return clock_init_event(event, PERF_COUNT_SW_CPU_CLOCK);
}

static int task_clock_init(struct perf_event *event)
{
	return clock_init_event(event, PERF_COUNT_SW_TASK_CLOCK);
}

/* Counts by the context's clock, which stops while its task is off. */
static void count_until(struct perf_event *event, uint64_t now)
{
	uint64_t time = context_time(event->ctx, now);
	uint64_t before = __atomic_exchange_n(&event->hw.prev, time, __ATOMIC_RELAXED);

	if (event->hw.running)
		__atomic_add_fetch(&event->count, (int64_t)(time - before), __ATOMIC_RELAXED);
}

static void clock_read(struct perf_event *event)
{
	count_until(event, clock_ns());
}

static uint64_t timer_period(const struct hw_event *hw)
{
	return hw->period > SHORTEST_PERIOD ? hw->period : SHORTEST_PERIOD;
}

static bool excluded(const struct perf_event *event, const struct frame *frame)
{
	if (frame_is_user(frame))
		return event->attr.exclude_user;
	return event->attr.exclude_kernel ||
	       (event->attr.exclude_idle && current_task()->kernel_thread);
}

/* Arms the timer for the next multiple of the period after now: ticks that were missed give no
 * samples. */
static void timer_again(struct timer *timer, uint64_t period, uint64_t now)
{
	uint64_t next = timer->deadline_ns + period;

	if (next <= now)
		next += ((now - next) / period + 1) * period;
	timer_arm(timer, next);
}

static void timer_fired(struct timer *timer, struct frame *frame)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.timer);
	struct hw_event *hw = &event->hw;
	uint64_t now = clock_ns();

	if (!hw->running)
		return;
	count_until(event, now);
	if (!excluded(event, frame) && event_overflow(event, frame, 0, hw->last_period, true)) {
		event->pmu->stop(event);
		return;
	}
	timer_again(timer, timer_period(hw), now);
}

static void clock_start(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	uint64_t now = clock_ns();

	hw->prev = context_time(event->ctx, now);
	hw->running = true;
	if (!event_is_sampling(event))
		return;
	hw->last_period = hw->period;
	if (!hw->timer.fire)
		timer_init(&hw->timer, timer_fired);
	timer_arm(&hw->timer,
		  now + (hw->period_left > 0 ? (uint64_t)hw->period_left : timer_period(hw)));
	hw->period_left = 0;
}

/* Stops the event; the next start continues its period. */
static void clock_stop(struct perf_event *event)
{
	struct hw_event *hw = &event->hw;
	uint64_t now = clock_ns();

	if (!hw->running)
		return;
	count_until(event, now);
	hw->running = false;
	if (!event_is_sampling(event))
		return;
	hw->period_left =
	    hw->timer.deadline_ns > now ? (int64_t)(hw->timer.deadline_ns - now) : SHORTEST_PERIOD;
	timer_cancel(&hw->timer);
}

static int clock_add(struct perf_event *event)
{
	clock_start(event);
	return 0;
}

const struct pmu cpu_clock_pmu = {
    .caps = PMU_SOFTWARE | PMU_NO_NMI | PMU_STEADY,
    .event_init = cpu_clock_init,
    .add = clock_add,
    .del = clock_stop,
    .start = clock_start,
    .stop = clock_stop,
    .read = clock_read,
};

const struct pmu task_clock_pmu = {
    .caps = PMU_SOFTWARE | PMU_NO_NMI | PMU_STEADY,
    .event_init = task_clock_init,
    .add = clock_add,
    .del = clock_stop,
    .start = clock_start,
    .stop = clock_stop,
    .read = clock_read,
};
