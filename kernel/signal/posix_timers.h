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

/* A new timer of the current process, not armed, or NULL. The caller fills in notify, info, target
 * and clock. */
struct posix_timer *posix_timer_new(enum alarm_clock clock, struct task *of);
/* The current process's timer, or NULL. */
struct posix_timer *posix_timer_find(int id);
void posix_timer_free(struct posix_timer *timer);
/* exec and the end of the process: all go. */
void posix_timers_free(struct process *process);
/* The current process takes a signal with SI_TIMER: the overruns so far go into it, and the next
 * period starts. */
void posix_timer_taken(siginfo_t *info);

#endif
