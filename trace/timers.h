/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events of timers, emitted at their functions (functions.c). Context of all: any but NMI. */
#ifndef TRACE_TIMERS_H
#define TRACE_TIMERS_H

#include <stdint.h>

struct alarm;
struct frame;
struct process;
struct timer;
struct trace_here;

void timer_made(const struct timer *timer, const struct trace_here *here);
void timer_started(const struct timer *timer, uint64_t deadline, const struct trace_here *here);
void timer_cancelled(const struct timer *timer, const struct trace_here *here);
void interval_was_set(const struct process *process, unsigned which, uint64_t value,
		      uint64_t period, const struct trace_here *here);
void interval_ran_out(const struct alarm *alarm, int which, const struct trace_here *here);

/* Fires the timer, with events before and after. */
void traced_timer_fire(struct timer *timer, struct frame *frame);

#endif
