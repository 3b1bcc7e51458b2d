/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events of timers. All timers of this kernel correspond to Linux's high-resolution timers,
 * on CLOCK_MONOTONIC, one-shot. */
#include <linux/time.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/frame.h"
#include "kernel/process/process.h"
#include "kernel/task/alarm.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"
#include "trace/base/event.h"
#include "trace/timers.h"

#define WANTED(name) trace_wanted(&trace_points[POINT_##name])
#define HIT(name, record, here, ...)                                                              \
	do {                                                                                      \
		struct trace_arguments arguments = TRACE_ARGUMENTS(__VA_ARGS__);                  \
                                                                                                  \
		trace_hit_here(&trace_points[POINT_##name], &(record)->header, sizeof(*(record)), \
			       here, &arguments, NULL);                                           \
	} while (0)
#define HIT_AT(name, record, frame, ...)                                                     \
	do {                                                                                 \
		struct trace_arguments arguments = TRACE_ARGUMENTS(__VA_ARGS__);             \
                                                                                             \
		trace_hit(&trace_points[POINT_##name], &(record)->header, sizeof(*(record)), \
			  frame, &arguments);                                                \
	} while (0)

#define MODE_ABSOLUTE 0 /* Linux's HRTIMER_MODE_ABS */

void timer_made(const struct timer *timer, const struct trace_here *here)
{
	struct record_hrtimer_init record = {
	    .hrtimer = (uint64_t)timer, .clockid = CLOCK_MONOTONIC, .mode = MODE_ABSOLUTE};

	if (WANTED(hrtimer_init))
		HIT(hrtimer_init, &record, here, (uint64_t)timer, CLOCK_MONOTONIC, MODE_ABSOLUTE);
}

void timer_started(const struct timer *timer, uint64_t deadline, const struct trace_here *here)
{
	struct record_hrtimer_start record = {.hrtimer = (uint64_t)timer,
					      .function = (uint64_t)timer->fire,
					      .expires = (int64_t)deadline,
					      .softexpires = (int64_t)deadline,
					      .mode = MODE_ABSOLUTE,
					      .was_armed = timer_armed(timer)};

	if (WANTED(hrtimer_start))
		HIT(hrtimer_start, &record, here, (uint64_t)timer, MODE_ABSOLUTE);
}

/* A pending timer is cancelled. */
void timer_cancelled(const struct timer *timer, const struct trace_here *here)
{
	struct record_hrtimer_cancel record = {.hrtimer = (uint64_t)timer};

	if (WANTED(hrtimer_cancel) && timer_armed(timer))
		HIT(hrtimer_cancel, &record, here, (uint64_t)timer);
}

void traced_timer_fire(struct timer *timer, struct frame *frame)
{
	struct record_hrtimer_expire_entry entry = {.hrtimer = (uint64_t)timer,
						    .now = (int64_t)clock_ns(),
						    .function = (uint64_t)timer->fire};
	struct record_hrtimer_expire_exit exit = {.hrtimer = (uint64_t)timer};

	if (WANTED(hrtimer_expire_entry))
		HIT_AT(hrtimer_expire_entry, &entry, frame, (uint64_t)timer, (uint64_t)&entry.now);
	timer->fire(timer, frame);
	if (WANTED(hrtimer_expire_exit))
		HIT_AT(hrtimer_expire_exit, &exit, frame, (uint64_t)timer);
}

/* As on Linux a real-time timer has no `expires`; a processor-time timer has its clock's. */
static uint64_t interval_end(const struct process *process, unsigned which, uint64_t value)
{
	struct usage usage;

	if (which == ITIMER_REAL || !value)
		return 0;
	process_usage(process, &usage);
	return value + usage.runtime_ns - (which == ITIMER_VIRTUAL ? usage.system_ns : 0);
}

void interval_was_set(const struct process *process, unsigned which, uint64_t value,
		      uint64_t period, const struct trace_here *here)
{
	struct record_itimer_state record = {.which = (int)which,
					     .value_sec = (long)(value / (uint64_t)NS_PER_SEC),
					     .value_nsec = (long)(value % (uint64_t)NS_PER_SEC),
					     .interval_sec = (long)(period / (uint64_t)NS_PER_SEC),
					     .interval_nsec =
						 (long)(period % (uint64_t)NS_PER_SEC)};

	if (!WANTED(itimer_state))
		return;
	record.expires = interval_end(process, which, value);
	HIT(itimer_state, &record, here, which, (uint64_t)&record.value_sec, record.expires);
}

void interval_ran_out(const struct alarm *alarm, int which, const struct trace_here *here)
{
	struct record_itimer_expire record = {.which = which, .pid = alarm->process->leader->pid};

	if (!WANTED(itimer_expire))
		return;
	record.now = record.which == ITIMER_REAL ? 0 : alarm_now(alarm);
	HIT(itimer_expire, &record, here, (uint64_t)which, 0, record.now);
}
