/* SPDX-License-Identifier: BSD-2-Clause */
/* Time of day, sleeping and interval timers: gettimeofday(2), nanosleep(2), setitimer(2). */
#include <linux/errno.h>
#include <linux/time.h>
#include <linux/time_types.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/mem/user.h"
#include "kernel/process/process.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/time/clock.h"

#define NS_MAX (INT64_MAX / 2)

int64_t timespec_ns(int64_t seconds, int64_t nanoseconds)
{
	if (seconds < 0 || nanoseconds < 0 || nanoseconds >= NS_PER_SEC)
		return -EINVAL;
	return seconds >= NS_MAX / NS_PER_SEC ? NS_MAX : seconds * NS_PER_SEC + nanoseconds;
}

uint64_t deadline_after(uint64_t ns)
{
	struct task *task = current_task();

	task->deadline_ns = task->restart_deadline_ns ? task->restart_deadline_ns : clock_ns() + ns;
	task->restart_deadline_ns = 0;
	return task->deadline_ns;
}

long deadline_done(long result)
{
	if (result != -EINTR)
		current_task()->deadline_ns = 0;
	return result;
}

int deadline_from_user(uint64_t user, uint64_t *deadline)
{
	struct __kernel_timespec time;
	int64_t ns;

	*deadline = WAITQ_FOREVER;
	if (!user)
		return 0;
	if (copy_from_user(&time, user, sizeof(time)))
		return -EFAULT;
	ns = timespec_ns(time.tv_sec, time.tv_nsec);
	if (ns < 0)
		return (int)ns;
	*deadline = deadline_after((uint64_t)ns);
	return 0;
}

int ns_to_user(uint64_t user, uint64_t ns)
{
	struct __kernel_timespec time = {.tv_sec = (int64_t)(ns / NS_PER_SEC),
					 .tv_nsec = (int64_t)(ns % NS_PER_SEC)};

	return copy_to_user(user, &time, sizeof(time));
}

int remaining_to_user(uint64_t user, uint64_t deadline)
{
	uint64_t now = clock_ns();

	return ns_to_user(user, deadline > now ? deadline - now : 0);
}

long sys_gettimeofday(uint64_t user, uint64_t zone)
{
	int64_t ns = clock_real_ns();
	struct timeval time = {.tv_sec = ns / NS_PER_SEC, .tv_usec = ns % NS_PER_SEC / 1000};
	const struct timezone utc = {0};

	if (user && copy_to_user(user, &time, sizeof(time)))
		return -EFAULT;
	return zone ? copy_to_user(zone, &utc, sizeof(utc)) : 0;
}

long sys_time(uint64_t user)
{
	int64_t seconds = clock_real_ns() / NS_PER_SEC;

	if (user && copy_to_user(user, &seconds, sizeof(seconds)))
		return -EFAULT;
	return seconds;
}

/* Sleeps to the deadline: 0 or -EINTR. */
static long sleep_until(uint64_t deadline)
{
	int err = waitq_sleep_alone(deadline);

	return err == -ETIMEDOUT ? 0 : err;
}

static long sleep_for(uint64_t ns, uint64_t left)
{
	uint64_t deadline = deadline_after(ns);
	long result = sleep_until(deadline);

	if (result == -EINTR && left && remaining_to_user(left, deadline))
		result = -EFAULT;
	return deadline_done(result);
}

/* An alarm on processor time that wakes its sleeper. */
struct processor_sleep {
	struct alarm alarm;
	struct waitq queue;
	bool over;
};

static void processor_time_came(struct alarm *alarm)
{
	struct processor_sleep *sleep = container_of(alarm, struct processor_sleep, alarm);

	sleep->over = true;
	waitq_wake(&sleep->queue);
}

/* Sleeps until the process's other threads have used that much processor time. */
static long sleep_processor(const struct clock_id *id, bool absolute, uint64_t ns, uint64_t left)
{
	struct processor_sleep sleep = {.over = false};
	struct waiter waiter;
	int err = 0;

	alarm_init(&sleep.alarm, id->clock, processor_time_came);
	sleep.alarm.process = id->task->process;
	sleep.alarm.deadline = absolute ? ns : alarm_now(&sleep.alarm) + ns;
	waitq_init(&sleep.queue);
	waitq_add(&sleep.queue, &waiter);
	alarm_arm(&sleep.alarm);
	while (!sleep.over && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	ns = alarm_left(&sleep.alarm);
	alarm_cancel(&sleep.alarm);
	if (sleep.over)
		return 0;
	return !absolute && left && ns_to_user(left, ns) ? -EFAULT : err;
}

/* Linux's errors for clocks that do not support sleeping. */
static int check_sleep(int clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_BOOTTIME_ALARM:
	case CLOCK_THREAD_CPUTIME_ID:
		return -EOPNOTSUPP;
	default:
		return 0;
	}
}

long sys_clock_nanosleep(uint64_t clock, uint64_t flags, uint64_t user, uint64_t left)
{
	struct __kernel_timespec time;
	struct clock_id id;
	uint64_t now;
	int64_t ns;
	long result = clock_find((int)clock, &id);

	if (result)
		return result;
	result = check_sleep((int)clock);
	if (!result && copy_from_user(&time, user, sizeof(time)))
		result = -EFAULT;
	ns = result ? 0 : timespec_ns(time.tv_sec, time.tv_nsec);
	if (ns < 0)
		result = ns;
	now = clock_now(&id);
	if (result)
		;
	else if (id.clock == ALARM_THREAD) /* its own time stops while it sleeps */
		result = -EINVAL;
	else if (id.clock == ALARM_PROCESS)
		result = sleep_processor(&id, flags & TIMER_ABSTIME, (uint64_t)ns, left);
	else if (flags & TIMER_ABSTIME)
		result = sleep_until(clock_ns() + ((uint64_t)ns > now ? (uint64_t)ns - now : 0));
	else
		result = sleep_for((uint64_t)ns, left);
	clock_put(&id);
	return result;
}

long sys_nanosleep(uint64_t user, uint64_t left)
{
	return sys_clock_nanosleep(CLOCK_MONOTONIC, 0, user, left);
}

/* Interval timers. */

static struct timeval to_timeval(uint64_t ns)
{
	ns += 999;
	return (struct timeval){.tv_sec = (long)(ns / NS_PER_SEC),
				.tv_usec = (long)(ns % NS_PER_SEC / 1000)};
}

long sys_getitimer(uint64_t which, uint64_t user)
{
	struct itimerval timer;
	uint64_t value, period;

	if (which > ITIMER_PROF)
		return -EINVAL;
	interval_get(current_task()->process, (unsigned)which, &value, &period);
	timer.it_value = to_timeval(value);
	timer.it_interval = to_timeval(period);
	return copy_to_user(user, &timer, sizeof(timer));
}

long sys_setitimer(uint64_t which, uint64_t new_user, uint64_t old_user)
{
	struct itimerval timer = {0};
	int64_t value, period;
	long err;

	if (which > ITIMER_PROF)
		return -EINVAL;
	if (new_user && copy_from_user(&timer, new_user, sizeof(timer)))
		return -EFAULT;
	if ((uint64_t)timer.it_value.tv_usec >= 1000000 ||
	    (uint64_t)timer.it_interval.tv_usec >= 1000000)
		return -EINVAL;
	value = timespec_ns(timer.it_value.tv_sec, timer.it_value.tv_usec * 1000);
	period = timespec_ns(timer.it_interval.tv_sec, timer.it_interval.tv_usec * 1000);
	if (value < 0 || period < 0)
		return -EINVAL;
	err = old_user ? sys_getitimer(which, old_user) : 0;
	return err ? err
		   : interval_set(current_task()->process, (unsigned)which, (uint64_t)value,
				  (uint64_t)period);
}

long sys_alarm(uint64_t seconds)
{
	uint64_t value, period;

	interval_get(current_task()->process, ITIMER_REAL, &value, &period);
	if (interval_set(current_task()->process, ITIMER_REAL,
			 (uint32_t)seconds * (uint64_t)NS_PER_SEC, 0))
		return 0;
	return value && value < NS_PER_SEC ? 1 : (long)((value + NS_PER_SEC / 2) / NS_PER_SEC);
}
