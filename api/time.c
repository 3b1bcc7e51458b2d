/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks and sleeping: clock_gettime(2), nanosleep(2), setitimer(2). */
#include <linux/errno.h>
#include <linux/time.h>
#include <linux/time_types.h>
#include "api/calls.h"
#include "api/clock.h"
#include "arch/x86/tsc.h"
#include "kernel/clock.h"
#include "kernel/interval.h"
#include "kernel/process.h"
#include "kernel/user.h"

#define NS_MOST (INT64_MAX / 2)

int64_t timespec_ns(int64_t seconds, int64_t nanoseconds)
{
	if (seconds < 0 || nanoseconds < 0 || nanoseconds >= NS_PER_SEC)
		return -EINVAL;
	return seconds >= NS_MOST / NS_PER_SEC ? NS_MOST : seconds * NS_PER_SEC + nanoseconds;
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

static int ns_to_user(uint64_t user, uint64_t ns)
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

/* Reads a clock in nanoseconds: 0 or -EINVAL. */
static int clock_read(int clock, uint64_t *ns)
{
	struct usage usage;

	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
		*ns = (uint64_t)clock_real_ns();
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		*ns = clock_ns();
		return 0;
	case CLOCK_PROCESS_CPUTIME_ID:
		process_usage(current_task()->process, &usage);
		*ns = usage.runtime_ns;
		return 0;
	case CLOCK_THREAD_CPUTIME_ID:
		*ns = task_runtime_ns(current_task());
		return 0;
	default:
		return -EINVAL;
	}
}

long sys_clock_gettime(uint64_t clock, uint64_t user)
{
	uint64_t ns;
	int err = clock_read((int)clock, &ns);

	return err ? err : ns_to_user(user, ns);
}

long sys_clock_getres(uint64_t clock, uint64_t user)
{
	uint64_t ns;
	int err = clock_read((int)clock, &ns);

	return err || !user ? err : ns_to_user(user, 1);
}

long sys_clock_settime(void)
{
	return -EPERM;
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

long sys_clock_nanosleep(uint64_t clock, uint64_t flags, uint64_t user, uint64_t left)
{
	struct __kernel_timespec time;
	uint64_t now, deadline;
	int64_t ns;
	long result;

	if (clock_read((int)clock, &now))
		return -EINVAL;
	if ((int)clock == CLOCK_PROCESS_CPUTIME_ID || (int)clock == CLOCK_THREAD_CPUTIME_ID)
		return -EOPNOTSUPP; /* sleeping takes no processor time */
	if (copy_from_user(&time, user, sizeof(time)))
		return -EFAULT;
	ns = timespec_ns(time.tv_sec, time.tv_nsec);
	if (ns < 0)
		return ns;
	if (flags & TIMER_ABSTIME) {
		deadline = clock_ns() + ((uint64_t)ns > now ? (uint64_t)ns - now : 0);
		return sleep_until(deadline);
	}
	deadline = deadline_after((uint64_t)ns);
	result = sleep_until(deadline);
	if (result == -EINTR && left && remaining_to_user(left, deadline))
		result = -EFAULT;
	return deadline_done(result);
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

	if (which != ITIMER_REAL)
		return -EINVAL;
	interval_get(current_task()->process, &value, &period);
	timer.it_value = to_timeval(value);
	timer.it_interval = to_timeval(period);
	return copy_to_user(user, &timer, sizeof(timer));
}

long sys_setitimer(uint64_t which, uint64_t new_user, uint64_t old_user)
{
	struct itimerval timer = {0};
	int64_t value, period;
	long err;

	if (which != ITIMER_REAL)
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
	return err ? err : interval_set(current_task()->process, (uint64_t)value, (uint64_t)period);
}

long sys_alarm(uint64_t seconds)
{
	uint64_t value, period;

	interval_get(current_task()->process, &value, &period);
	if (interval_set(current_task()->process, (uint32_t)seconds * (uint64_t)NS_PER_SEC, 0))
		return 0;
	return value && value < NS_PER_SEC ? 1 : (long)((value + NS_PER_SEC / 2) / NS_PER_SEC);
}
