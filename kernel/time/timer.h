/* SPDX-License-Identifier: BSD-2-Clause */
/* One-shot timers and work that an NMI defers to an ordinary interrupt. */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/base/tree.h"

struct timer {
	struct tree_node node;
	uint64_t deadline_ns; /* on clock_ns() */
	uint32_t cpu;         /* whose queue it is in */
	/* Called in interrupt context with the interrupted frame; may arm the timer again. */
	void (*fire)(struct timer *timer, struct frame *frame);
};

/* Context: start, once. */
void timers_init(void);

/* Prepares a timer: not armed. */
void timer_init(struct timer *timer, void (*fire)(struct timer *, struct frame *));
/* Arms (or moves) the timer on this processor. The hardware timer runs only while one is armed.
 * Context: task or interrupt. */
void timer_arm(struct timer *timer, uint64_t deadline_ns);
/* Disarms it; harmless if it is not armed. Context: task or interrupt. */
void timer_cancel(struct timer *timer);

/* Programs this processor's hardware timer again if a timer is armed: its interrupt may have been
 * lost. Context: task. */
void timers_renew(void);

/* Handles VECTOR_TIMER. As it, but calls `fire` for each due timer instead of the timer's own
 * function. Context: task or interrupt. */
void timer_interrupt(struct frame *frame);
void timer_interrupt_through(struct frame *frame, void (*fire)(struct timer *, struct frame *));

static inline bool timer_armed(const struct timer *timer)
{
	return tree_holds(&timer->node);
}

/* Returns nanoseconds until this processor's next timer expires (0: now), UINT64_MAX: none is
 * armed. Context: task or interrupt. */
uint64_t timers_next_ns(void);

struct irq_work {
	struct irq_work *next;
	uint32_t queued; /* atomic: 1 while it waits to run */
	void (*run)(struct irq_work *work);
};

/* Queues `work` to run once in interrupt context on this processor, soon. Context: any, NMI
 * included; lock-free. */
void irq_work_queue(struct irq_work *work);

/* If it is queued, runs the queue now, so that the object may be freed. Context: task. */
void irq_work_sync(struct irq_work *work);

#endif
