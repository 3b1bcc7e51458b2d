/* SPDX-License-Identifier: BSD-2-Clause */
/* The interval timers of setitimer(2), which send SIGALRM, SIGVTALRM and SIGPROF; and the limit of
 * processor time. */
#include <linux/errno.h>
#include <linux/resource.h>
#include <linux/time.h>
#include "kernel/base/patched.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/signal/signal.h"
#include "kernel/task/alarm.h"
#include "kernel/task/system_time.h"
#include "kernel/time/clock.h"

#define NR_INTERVALS 3
#define LIMIT        NR_INTERVALS /* the alarm of RLIMIT_CPU */
#define SHORTEST_CPU 1000000ull   /* ns of processor time between two signals, at least */

struct interval_timers {
	struct alarm alarms[NR_INTERVALS + 1]; /* by ITIMER_*, and LIMIT */
	struct process *process;
};

static void send(struct process *process, int signo)
{
	siginfo_t info = {.si_signo = signo, .si_code = SI_KERNEL};

	signal_queue(process->leader, true, &info);
}

PATCHED_FUNCTION void interval_over(const struct alarm *alarm, int which)
{
	static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};

	send(alarm->process, signals[which]);
}

/* The next period starts when the signal is taken, as on Linux: a short period cannot flood the
 * processor. */
static void real_over(struct alarm *alarm)
{
	interval_over(alarm, ITIMER_REAL);
}

static void processor_over(struct alarm *alarm, int which)
{
	uint64_t soonest = alarm_now(alarm) + SHORTEST_CPU;

	if (alarm->period) {
		alarm->deadline += alarm->period;
		if (alarm->deadline < soonest)
			alarm->deadline = soonest;
		alarm_arm(alarm);
	}
	interval_over(alarm, which);
}

static void virtual_over(struct alarm *alarm)
{
	processor_over(alarm, ITIMER_VIRTUAL);
}

static void prof_over(struct alarm *alarm)
{
	processor_over(alarm, ITIMER_PROF);
}

/* Arms the alarm for the soft limit, which is `limits[0]` seconds. */
static void limit_arm(struct alarm *alarm)
{
	const uint64_t *limits = alarm->process->limits[RLIMIT_CPU];

	if (limits[0] >= (uint64_t)(INT64_MAX / NS_PER_SEC))
		return;
	alarm->deadline = limits[0] * (uint64_t)NS_PER_SEC;
	alarm_arm(alarm);
}

/* As on Linux the soft limit advances by a second with each signal. */
static void limit_over(struct alarm *alarm)
{
	uint64_t *limits = alarm->process->limits[RLIMIT_CPU];

	if (alarm_now(alarm) / (uint64_t)NS_PER_SEC >= limits[1]) {
		send(alarm->process, SIGKILL);
		return;
	}
	send(alarm->process, SIGXCPU);
	limits[0]++;
	limit_arm(alarm);
}

static int make(struct process *process)
{
	static void (*const over[])(struct alarm *) = {real_over, virtual_over, prof_over,
						       limit_over};
	static const enum alarm_clock clocks[] = {ALARM_TIME, ALARM_USER, ALARM_PROCESS,
						  ALARM_PROCESS};
	struct interval_timers *timers = kalloc(sizeof(*timers));

	if (!timers)
		return -ENOMEM;
	timers->process = process;
	for (unsigned i = 0; i <= LIMIT; i++) {
		alarm_init(&timers->alarms[i], clocks[i], over[i]);
		timers->alarms[i].process = process;
	}
	process->intervals = timers;
	return 0;
}

PATCHED_FUNCTION int interval_set(struct process *process, unsigned which, uint64_t value,
				  uint64_t period)
{
	struct alarm *alarm;

	if (!process->intervals && !value)
		return 0;
	if (!process->intervals && make(process))
		return -ENOMEM;
	if (which == ITIMER_VIRTUAL && value)
		system_time_wanted(process);
	alarm = &process->intervals->alarms[which];
	alarm_cancel(alarm);
	alarm->period = value ? period : 0;
	alarm->deadline = alarm_now(alarm) + value;
	if (value)
		alarm_arm(alarm);
	return 0;
}

int interval_limit(struct process *process)
{
	struct alarm *alarm;

	if (!process->intervals && process->limits[RLIMIT_CPU][0] == RLIM64_INFINITY)
		return 0;
	if (!process->intervals && make(process))
		return -ENOMEM;
	alarm = &process->intervals->alarms[LIMIT];
	alarm_cancel(alarm);
	limit_arm(alarm);
	return 0;
}

void interval_get(const struct process *process, unsigned which, uint64_t *value, uint64_t *period)
{
	const struct alarm *alarm;

	*value = *period = 0;
	if (!process->intervals)
		return;
	alarm = &process->intervals->alarms[which];
	*value = alarm_left(alarm);
	*period = alarm->period;
}

void interval_taken(struct process *process)
{
	struct alarm *alarm = process->intervals ? &process->intervals->alarms[ITIMER_REAL] : NULL;

	if (alarm && alarm->period && !alarm->armed)
		alarm_forward(alarm);
}

void interval_cancel(struct process *process)
{
	for (unsigned i = 0; process->intervals && i <= LIMIT; i++)
		alarm_cancel(&process->intervals->alarms[i]);
}
