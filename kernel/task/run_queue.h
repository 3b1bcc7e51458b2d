/* SPDX-License-Identifier: BSD-2-Clause */
/* A processor's run queue, for the scheduler and the idle tasks. */
#ifndef KERNEL_RUN_QUEUE_H
#define KERNEL_RUN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/base/tree.h"
#include "kernel/task/task.h"
#include "kernel/time/timer.h"

struct run_queue {
	struct tree tasks; /* runnable and not running; interrupts masked */
	uint32_t waiting;  /* their number */
	struct task *idle;
	struct task *from; /* whom the switch that is under way leaves */
	uint64_t switches; /* so far */
	struct timer slice;
	bool reschedule; /* another task may have to run next */
	bool turn_over;  /* the current task's slice is over */
	bool yields;     /* the current task lets others go first */
	bool arrivals;   /* another processor put a task here: the slice may have to start */
};

extern struct run_queue run_queues[MAX_CPUS];

static inline struct run_queue *this_queue(void)
{
	return &run_queues[this_cpu_read(id)];
}

/* The running task's slice is over: the timer's function. Context: interrupts masked. */
void sched_slice_over(struct timer *timer, struct frame *frame);

#endif
