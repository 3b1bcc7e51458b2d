/* SPDX-License-Identifier: BSD-2-Clause */
/* The timers of timer_create(2). While a timer's signal is pending the timer is stopped; missed
 * periods are counted when the signal is taken. */
#include <linux/resource.h>
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/posix_timers.h"
#include "kernel/signal/signal.h"

#define OVERRUNS_MAX INT32_MAX
#define SHORTEST_NS  4000000ull /* minimum period of a timer whose signal is ignored */

/* The signal is ignored: the timer restarts by itself, but not sooner than SHORTEST_NS. */
static void go_on(struct alarm *alarm)
{
	uint64_t soonest = alarm_now(alarm) + SHORTEST_NS;

	if (!alarm->period)
		return;
	alarm_forward(alarm);
	if (alarm->deadline < soonest) {
		alarm->deadline = soonest;
		alarm_arm(alarm);
	}
}

static void timer_over(struct alarm *alarm)
{
	struct posix_timer *timer = container_of(alarm, struct posix_timer, alarm);
	struct task *task = timer->target ? timer->target : timer->process->leader;
	int signo = timer->info.si_signo;

	if (timer->notify == SIGEV_NONE)
		return;
	if ((signal_is_ignored(timer->process, signo) &&
	     !((task->blocked | task->awaited) & SIGNAL_BIT(signo))) ||
	    signal_queue(task, !timer->target, &timer->info))
		go_on(alarm);
}

struct posix_timer *posix_timer_new(enum alarm_clock clock, struct task *of)
{
	struct process *process = current_task()->process;
	uint32_t uid = current_task()->cred.uid.real;
	struct posix_timer *timer;

	if (!account_take(uid, ACCOUNT_SIGNALS, 1, process->limits[RLIMIT_SIGPENDING][0]))
		return NULL;
	timer = kalloc(sizeof(*timer));
	if (!timer) {
		account_give(uid, ACCOUNT_SIGNALS, 1);
		return NULL;
	}
	timer->charged_uid = uid;
	alarm_init(&timer->alarm, clock, timer_over);
	timer->alarm.process = of->process;
	if (clock != ALARM_TIME) {
		timer->alarm.task = of;
		task_get(of);
	}
	timer->process = process;
	timer->id = process->next_timer++;
	timer->next = process->timers;
	process->timers = timer;
	return timer;
}

struct posix_timer *posix_timer_find(int id)
{
	struct posix_timer *timer = current_task()->process->timers;

	while (timer && timer->id != id)
		timer = timer->next;
	return timer;
}

void posix_timer_free(struct posix_timer *timer)
{
	struct posix_timer **link = &timer->process->timers;

	alarm_cancel(&timer->alarm);
	while (*link != timer)
		link = &(*link)->next;
	*link = timer->next;
	if (timer->target)
		task_put(timer->target);
	if (timer->alarm.task)
		task_put(timer->alarm.task);
	account_give(timer->charged_uid, ACCOUNT_SIGNALS, 1);
	kfree(timer);
}

void posix_timers_free(struct process *process)
{
	while (process->timers)
		posix_timer_free(process->timers);
	process->next_timer = 0;
}

void posix_timer_taken(siginfo_t *info)
{
	struct posix_timer *timer = posix_timer_find(info->si_tid);
	uint64_t count;

	if (!timer || !timer->alarm.period || timer->alarm.armed)
		return;
	count = alarm_forward(&timer->alarm); /* the one that is taken included */
	timer->overruns = count > OVERRUNS_MAX ? OVERRUNS_MAX : (int)count - (count != 0);
	info->si_overrun = timer->overruns;
}
