/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events of timers: what probes at their functions tell (functions.c). Context of all:
 * interrupts masked, not NMI. */
#ifndef TRACE_TIMERS_H
#define TRACE_TIMERS_H

#include <stdint.h>

struct frame;
struct kprobe_user;
struct timer;

typedef void told_function(struct kprobe_user *user, struct frame *frame, uint64_t function);

told_function timer_made, timer_started, timer_cancelled, interval_was_set, interval_ran_out;

/* Lets the timer fire, and tells before and after. */
void timer_fire_told(struct timer *timer, struct frame *frame);

#endif
