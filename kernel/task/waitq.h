/* SPDX-License-Identifier: BSD-2-Clause */
/* Wait queues: where tasks sleep until a condition holds. */
#ifndef KERNEL_WAITQ_H
#define KERNEL_WAITQ_H

#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/list.h"

struct waitq {
	struct list waiters; /* of struct waiter */
};

struct task;
struct waiter {
	struct list link;
	struct task *task;
	/* NULL: wakes the task. Returns whether a task was woken, which ends a wake-up for
	 * exclusive waiters. */
	bool (*wake)(struct waiter *waiter);
	bool exclusive; /* not woken after another exclusive one */
};

#define WAITQ_FOREVER UINT64_MAX

/* An empty queue. Context: any. */
void waitq_init(struct waitq *queue);

/*
 * The pattern of every sleep; a task may be on several queues at once (poll):
 *
 *	waitq_add(queue, &waiter);          // the task's state becomes "sleeping"
 *	while (!condition && !err)
 *		err = waitq_sleep(deadline_ns); // 0, -EINTR (a signal is pending), -ETIMEDOUT
 *	waitq_remove(&waiter);
 *
 * Context: task. `deadline_ns` is on clock_ns(), WAITQ_FOREVER for none. A wake-up between add and
 * sleep is not lost.
 */
void waitq_add(struct waitq *queue, struct waiter *waiter);
int waitq_sleep(uint64_t deadline_ns);
/* Sleeps without a queue: -EINTR at a signal, -ETIMEDOUT at the deadline. Context: task. */
int waitq_sleep_alone(uint64_t deadline_ns);
void waitq_remove(struct waiter *waiter);
/* Sleeps without a deadline, woken only by the queue or when the task must leave (-EINTR). Context:
 * task. */
int waitq_sleep_killable(void);

/* Has waiter->wake called at each wake-up until unwatched, without sleeping. It runs with
 * interrupts masked and must not touch the queue. The caller sets waiter->exclusive. Context:
 * task. */
void waitq_watch(struct waitq *queue, struct waiter *waiter, bool (*wake)(struct waiter *));
void waitq_unwatch(struct waiter *waiter);

/* Wakes all sleepers, of exclusive ones the first. Context: task or interrupt, never NMI (use
 * irq_work). */
void waitq_wake(struct waitq *queue);

#endif
