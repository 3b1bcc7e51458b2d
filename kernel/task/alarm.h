/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers on real time or on processor time, one-shot or periodic: shared by interval timers,
 * timer_create(2) and timerfd. */
#ifndef KERNEL_ALARM_H
#define KERNEL_ALARM_H

#include "kernel/time/timer.h"

struct process;
struct task;

enum alarm_clock { ALARM_TIME, ALARM_THREAD, ALARM_PROCESS, ALARM_USER };

struct alarm {
	enum alarm_clock clock;
	struct process *process; /* of all but ALARM_TIME: whose processor time, or user time */
	struct task *task;       /* ALARM_THREAD */
	uint64_t deadline;       /* ns on its clock: the next, or the last one that was over */
	uint64_t period;         /* ns; 0: once */
	bool armed;
	struct timer timer;
	struct list link; /* in process->alarms while armed on processor time */
	/* Called in interrupt context, interrupts masked; the alarm is not armed any more. */
	void (*over)(struct alarm *alarm);
};

/* Prepares an alarm: not armed. Context of all: task or interrupt, except the last. */
void alarm_init(struct alarm *alarm, enum alarm_clock clock, void (*over)(struct alarm *));
/* Returns its clock's time in nanoseconds. */
uint64_t alarm_now(const struct alarm *alarm);
/* Arms it for alarm->deadline. */
void alarm_arm(struct alarm *alarm);
/* Disarms it; harmless if it is not armed. */
void alarm_cancel(struct alarm *alarm);
/* A periodic alarm has expired: arms it for the next deadline in the future. Returns the number of
 * deadlines up to now, 1 or more. */
uint64_t alarm_forward(struct alarm *alarm);
/* Returns nanoseconds to the next deadline: 0 if there is none; at least 1 otherwise. */
uint64_t alarm_left(const struct alarm *alarm);

/* The task starts to use processor time, and its process has alarms on that. Context: the switch,
 * interrupts masked. */
void alarms_switch_in(struct task *task);

#endif
