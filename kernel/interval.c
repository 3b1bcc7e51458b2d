/* SPDX-License-Identifier: BSD-2-Clause */
/* The real-time interval timer: SIGALRM when it runs out. */
#include <linux/errno.h>
#include "arch/x86/tsc.h"
#include "kernel/interval.h"
#include "kernel/memory.h"
#include "kernel/signal.h"
#include "kernel/task.h"
#include "kernel/timer.h"

struct interval_timer {
	struct timer timer;
	struct process *process;
	uint64_t period; /* 0: once */
	bool armed;
};

static void interval_over(struct timer *timer, struct frame *frame)
{
	struct interval_timer *interval = container_of(timer, struct interval_timer, timer);
	siginfo_t info = {.si_signo = SIGALRM, .si_code = SI_KERNEL};

	(void)frame;
	interval->armed = interval->period != 0;
	if (interval->armed)
		timer_arm(timer, timer->deadline_ns + interval->period);
	signal_queue(interval->process->leader, true, &info);
}

int interval_set(struct process *process, uint64_t value, uint64_t period)
{
	struct interval_timer *interval = process->interval;

	if (!interval) {
		if (!value)
			return 0;
		interval = process->interval = kalloc(sizeof(*interval));
		if (!interval)
			return -ENOMEM;
		timer_init(&interval->timer, interval_over);
		interval->process = process;
	}
	timer_cancel(&interval->timer);
	interval->armed = value != 0;
	interval->period = period;
	if (value)
		timer_arm(&interval->timer, clock_ns() + value);
	return 0;
}

void interval_get(const struct process *process, uint64_t *value, uint64_t *period)
{
	const struct interval_timer *interval = process->interval;
	uint64_t now = clock_ns();

	*value = *period = 0;
	if (!interval || !interval->armed)
		return;
	*period = interval->period;
	*value = interval->timer.deadline_ns > now ? interval->timer.deadline_ns - now : 1;
}

void interval_cancel(struct process *process)
{
	if (process->interval)
		timer_cancel(&process->interval->timer);
}
