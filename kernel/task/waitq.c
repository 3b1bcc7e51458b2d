/* SPDX-License-Identifier: BSD-2-Clause */
/* Wait queues. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "kernel/task/task.h"
#include "kernel/task/waitq.h"
#include "kernel/time/timer.h"

struct sleep_timer {
	struct timer timer;
	struct task *task;
};

void waitq_init(struct waitq *queue)
{
	list_init(&queue->waiters);
}

void waitq_add(struct waitq *queue, struct waiter *waiter)
{
	uint64_t flags = irq_save();

	waiter->task = current_task();
	waiter->wake = NULL;
	waiter->exclusive = false;
	waiter->task->state = TASK_SLEEPING;
	list_add_tail(&queue->waiters, &waiter->link);
	irq_restore(flags);
}

void waitq_remove(struct waiter *waiter)
{
	uint64_t flags = irq_save();

	waiter->task->state = TASK_RUNNABLE;
	list_remove(&waiter->link);
	irq_restore(flags);
}

void waitq_watch(struct waitq *queue, struct waiter *waiter, bool (*wake)(struct waiter *))
{
	uint64_t flags = irq_save();

	waiter->wake = wake;
	list_add_tail(&queue->waiters, &waiter->link);
	irq_restore(flags);
}

void waitq_unwatch(struct waiter *waiter)
{
	uint64_t flags = irq_save();

	list_remove(&waiter->link);
	irq_restore(flags);
}

static void sleep_over(struct timer *timer, struct frame *frame)
{
	(void)frame;
	task_wake(container_of(timer, struct sleep_timer, timer)->task);
}

/* Sleeps once. The caller checks its condition next: a wake-up from here on must not be lost. */
static void sleep_once(struct task *task)
{
	uint64_t flags;

	schedule();
	flags = irq_save();
	task->state = TASK_SLEEPING;
	irq_restore(flags);
}

int waitq_sleep(uint64_t deadline_ns)
{
	struct task *task = current_task();
	struct sleep_timer timer;

	if (signal_pending(task))
		return -EINTR;
	if (deadline_ns == WAITQ_FOREVER) {
		sleep_once(task);
		return 0;
	}
	if (clock_ns() >= deadline_ns)
		return -ETIMEDOUT;
	timer_init(&timer.timer, sleep_over);
	timer.task = task;
	timer_arm(&timer.timer, deadline_ns);
	sleep_once(task);
	timer_cancel(&timer.timer);
	return 0;
}

int waitq_sleep_alone(uint64_t deadline_ns)
{
	struct waitq nobody;
	struct waiter waiter;
	int err = 0;

	waitq_init(&nobody);
	waitq_add(&nobody, &waiter);
	while (!err)
		err = waitq_sleep(deadline_ns);
	waitq_remove(&waiter);
	return err;
}

int waitq_sleep_killable(void)
{
	struct task *task = current_task();

	if (task_must_exit(task))
		return -EINTR;
	sleep_once(task);
	return 0;
}

void waitq_wake(struct waitq *queue)
{
	uint64_t flags = irq_save();
	struct waiter *waiter;
	bool done = false;

	list_for_each(waiter, &queue->waiters, link) {
		if (!waiter->wake)
			task_wake(waiter->task);
		else if (!waiter->exclusive)
			waiter->wake(waiter);
		else if (!done)
			done = waiter->wake(waiter);
	}
	irq_restore(flags);
}
