/* SPDX-License-Identifier: BSD-2-Clause */
/* The timers of a process that timer_create(2) makes. Context of all: task. */
#ifndef KERNEL_POSIX_TIMERS_H
#define KERNEL_POSIX_TIMERS_H

#include <linux/signal.h>
#include "kernel/task/alarm.h"

struct posix_timer {
	struct posix_timer *next;
	int id;
	int notify; /* SIGEV_SIGNAL, with SIGEV_THREAD_ID or not, or SIGEV_NONE */
	siginfo_t info;
	struct process *process;
	struct task *target;  /* SIGEV_THREAD_ID: referenced */
	struct alarm alarm;   /* its task is referenced when the clock is a thread's */
	int clock;            /* CLOCK_* */
	int overruns;         /* of the signal taken last */
	uint32_t charged_uid; /* whose account it is on: RLIMIT_SIGPENDING */
};

/* Returns a new timer of the current process, not armed, or NULL. The caller sets notify, info,
 * target and clock. */
struct posix_timer *posix_timer_new(enum alarm_clock clock, struct task *of);
/* Returns the current process's timer, or NULL. */
struct posix_timer *posix_timer_find(int id);
void posix_timer_free(struct posix_timer *timer);
/* Frees all timers, at exec and at the end of the process. */
void posix_timers_free(struct process *process);
/* The current process takes a signal with SI_TIMER: stores the overruns in it, and starts the next
 * period. */
void posix_timer_taken(siginfo_t *info);

#endif
