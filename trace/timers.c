/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events of timers. All of this kernel's are what Linux calls high-resolution timers, on
 * CLOCK_MONOTONIC, for a moment. */
#include "trace/timers.h"
#include <linux/time.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/frame.h"
#include "kernel/process/process.h"
#include "kernel/task/alarm.h"
#include "kernel/task/task.h"
#include "kernel/time/clock.h"
#include "kernel/time/timer.h"
#include "trace/base/event.h"

#define WANTED(name) trace_wanted(&trace_points[POINT_##name])
#define HIT(name, record, frame) \
	trace_hit(&trace_points[POINT_##name], &(record)->header, sizeof(*(record)), frame, NULL)

#define MODE_ABSOLUTE 0 /* Linux's HRTIMER_MODE_ABS */

void timer_made(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	struct record_hrtimer_init record = {
	    .hrtimer = frame->rdi, .clockid = CLOCK_MONOTONIC, .mode = MODE_ABSOLUTE};

	(void)user;
	(void)function;
	if (WANTED(hrtimer_init))
		HIT(hrtimer_init, &record, frame);
}

void timer_started(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	const struct timer *timer = (const struct timer *)frame->rdi;
	struct record_hrtimer_start record = {.hrtimer = frame->rdi,
					      .function = (uint64_t)timer->fire,
					      .expires = (int64_t)frame->rsi,
					      .softexpires = (int64_t)frame->rsi,
					      .mode = MODE_ABSOLUTE,
					      .was_armed = timer_armed(timer)};

	(void)user;
	(void)function;
	if (WANTED(hrtimer_start))
		HIT(hrtimer_start, &record, frame);
}

/* One that waits: it is taken out. */
void timer_cancelled(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	struct record_hrtimer_cancel record = {.hrtimer = frame->rdi};

	(void)user;
	(void)function;
	if (WANTED(hrtimer_cancel) && timer_armed((const struct timer *)frame->rdi))
		HIT(hrtimer_cancel, &record, frame);
}

void timer_fire_told(struct timer *timer, struct frame *frame)
{
	struct record_hrtimer_expire_entry entry = {.hrtimer = (uint64_t)timer,
						    .now = (int64_t)clock_ns(),
						    .function = (uint64_t)timer->fire};
	struct record_hrtimer_expire_exit exit = {.hrtimer = (uint64_t)timer};

	if (WANTED(hrtimer_expire_entry))
		HIT(hrtimer_expire_entry, &entry, frame);
	timer->fire(timer, frame);
	if (WANTED(hrtimer_expire_exit))
		HIT(hrtimer_expire_exit, &exit, frame);
}

/* As on Linux a timer on time has no `expires`, one on processor time that of its clock. */
static uint64_t interval_end(const struct process *process, unsigned which, uint64_t value)
{
	struct usage usage;

	if (which == ITIMER_REAL || !value)
		return 0;
	process_usage(process, &usage);
	return value + usage.runtime_ns - (which == ITIMER_VIRTUAL ? usage.system_ns : 0);
}

void interval_was_set(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	struct record_itimer_state record = {
	    .which = (int)frame->rsi,
	    .value_sec = (long)(frame->rdx / (uint64_t)NS_PER_SEC),
	    .value_nsec = (long)(frame->rdx % (uint64_t)NS_PER_SEC),
	    .interval_sec = (long)(frame->rcx / (uint64_t)NS_PER_SEC),
	    .interval_nsec = (long)(frame->rcx % (uint64_t)NS_PER_SEC)};

	(void)user;
	(void)function;
	if (!WANTED(itimer_state))
		return;
	record.expires =
	    interval_end((const struct process *)frame->rdi, (unsigned)frame->rsi, frame->rdx);
	HIT(itimer_state, &record, frame);
}

void interval_ran_out(struct kprobe_user *user, struct frame *frame, uint64_t function)
{
	const struct alarm *alarm = (const struct alarm *)frame->rdi;
	struct record_itimer_expire record = {.which = (int)frame->rsi,
					      .pid = alarm->process->leader->pid};

	(void)user;
	(void)function;
	if (!WANTED(itimer_expire))
		return;
	record.now = record.which == ITIMER_REAL ? 0 : alarm_now(alarm);
	HIT(itimer_expire, &record, frame);
}
