/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers of a process: timer_create(2), timer_settime(2), timer_gettime(2), timer_getoverrun(2),
 * timer_delete(2). */
#include <linux/errno.h>
#include <linux/time.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "kernel/mem/user.h"
#include "kernel/process/process.h"
#include "kernel/signal/posix_timers.h"
#include "kernel/signal/signal.h"
#include "kernel/task/pids.h"
#include "kernel/time/clock.h"

int itimerspec_from_user(uint64_t user, uint64_t *value, uint64_t *period)
{
	struct __kernel_itimerspec time;
	int64_t first, next;

	if (copy_from_user(&time, user, sizeof(time)))
		return -EFAULT;
	first = timespec_ns(time.it_value.tv_sec, time.it_value.tv_nsec);
	next = timespec_ns(time.it_interval.tv_sec, time.it_interval.tv_nsec);
	if (first < 0 || next < 0)
		return -EINVAL;
	*value = (uint64_t)first;
	*period = (uint64_t)next;
	return 0;
}

static struct __kernel_timespec to_timespec(uint64_t ns)
{
	return (struct __kernel_timespec){.tv_sec = (int64_t)(ns / NS_PER_SEC),
					  .tv_nsec = (int64_t)(ns % NS_PER_SEC)};
}

int alarm_to_user(const struct alarm *alarm, uint64_t user)
{
	struct __kernel_itimerspec time = {.it_interval = to_timespec(alarm->period),
					   .it_value = to_timespec(alarm_left(alarm))};

	return copy_to_user(user, &time, sizeof(time));
}

void alarm_set(struct alarm *alarm, uint64_t value, uint64_t period, bool absolute, uint64_t offset)
{
	alarm_cancel(alarm);
	alarm->period = value ? period : 0;
	if (!value)
		return;
	if (absolute)
		alarm->deadline = value > offset ? value - offset : 0;
	else
		alarm->deadline = alarm_now(alarm) + value;
	alarm_arm(alarm);
}

/* Returns Linux's errors for clocks without timers. */
static int check_clock(int clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_REALTIME_ALARM: /* needs a battery clock that can wake the machine */
	case CLOCK_BOOTTIME_ALARM:
		return -EOPNOTSUPP;
	default:
		return 0;
	}
}

/* Sets how the timer notifies; `event` was checked. Returns 0 or -EINVAL. */
static int set_event(struct posix_timer *timer, const sigevent_t *event)
{
	struct task *target = NULL;

	if (event->sigev_notify & SIGEV_THREAD_ID) {
		target = task_find(event->_sigev_un._tid);
		if (!target)
			return -EINVAL;
		timer->target = target;
		if (target->tgid != current_task()->tgid ||
		    event->sigev_notify != (SIGEV_SIGNAL | SIGEV_THREAD_ID))
			return -EINVAL;
	} else if (event->sigev_notify < SIGEV_SIGNAL || event->sigev_notify > SIGEV_THREAD) {
		return -EINVAL;
	}
	timer->notify = event->sigev_notify & ~SIGEV_THREAD_ID;
	if (timer->notify != SIGEV_NONE &&
	    (event->sigev_signo < 1 || event->sigev_signo > NR_SIGNALS))
		return -EINVAL;
	timer->info.si_signo = event->sigev_signo;
	timer->info.si_code = SI_TIMER;
	timer->info.si_tid = timer->id;
	timer->info.si_value = event->sigev_value;
	return 0;
}

static long create(int clock, const struct clock_id *id, uint64_t event_user, uint64_t id_user)
{
	sigevent_t event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct posix_timer *timer;
	int err;

	if (event_user && copy_from_user(&event, event_user, sizeof(event)))
		return -EFAULT;
	timer = posix_timer_new(id->clock, id->task ? id->task : current_task());
	if (!timer)
		return -EAGAIN;
	timer->clock = clock;
	if (!event_user)
		event.sigev_value.sival_int = timer->id;
	err = set_event(timer, &event);
	if (!err)
		err = copy_to_user(id_user, &timer->id, sizeof(timer->id));
	if (err)
		posix_timer_free(timer);
	return err;
}

long sys_timer_create(uint64_t clock, uint64_t event_user, uint64_t id_user)
{
	struct clock_id id;
	long result = clock_find((int)clock, &id);

	if (result)
		return result;
	result = check_clock((int)clock);
	if (!result)
		result = create((int)clock, &id, event_user, id_user);
	clock_put(&id);
	return result;
}

/* A timer without notification expires by the clock alone, even before its interrupt. */
static int timer_to_user(struct posix_timer *timer, uint64_t user)
{
	struct alarm *alarm = &timer->alarm;

	if (timer->notify == SIGEV_NONE && !alarm->period && alarm->armed &&
	    alarm->deadline <= alarm_now(alarm))
		alarm_cancel(alarm);
	return alarm_to_user(alarm, user);
}

long sys_timer_settime(uint64_t timer_id, uint64_t flags, uint64_t new_user, uint64_t old_user)
{
	struct posix_timer *timer;
	uint64_t value, period;
	struct clock_id id;
	long err = new_user ? itimerspec_from_user(new_user, &value, &period) : -EINVAL;

	if (err)
		return err;
	timer = posix_timer_find((int)timer_id);
	if (!timer)
		return -EINVAL;
	err = old_user ? timer_to_user(timer, old_user) : 0;
	if (clock_find(timer->clock, &id))
		return -ESRCH; /* whose processor time it was is gone */
	timer->overruns = 0;
	alarm_set(&timer->alarm, value, period, flags & TIMER_ABSTIME, id.offset);
	clock_put(&id);
	return err;
}

long sys_timer_gettime(uint64_t id, uint64_t user)
{
	struct posix_timer *timer = posix_timer_find((int)id);

	return timer ? timer_to_user(timer, user) : -EINVAL;
}

long sys_timer_getoverrun(uint64_t id)
{
	const struct posix_timer *timer = posix_timer_find((int)id);

	return timer ? timer->overruns : -EINVAL;
}

long sys_timer_delete(uint64_t id)
{
	struct posix_timer *timer = posix_timer_find((int)id);

	if (!timer)
		return -EINVAL;
	posix_timer_free(timer);
	return 0;
}
