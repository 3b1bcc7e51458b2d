/* SPDX-License-Identifier: BSD-2-Clause */
/* setitimer(2): the three interval timers of a process. */
#ifndef KERNEL_INTERVAL_TIMERS_H
#define KERNEL_INTERVAL_TIMERS_H

#include <stdint.h>

struct alarm;
struct process;

/* `which`: ITIMER_*. Sets (value 0: disarms) and reads; all in nanoseconds, value is the remaining
 * time. Returns 0 or -ENOMEM. Context: task. */
int interval_set(struct process *process, unsigned which, uint64_t value, uint64_t period);
void interval_get(const struct process *process, unsigned which, uint64_t *value, uint64_t *period);
/* The process took its SIGALRM: the real-time timer's next period starts. Context: task. */
void interval_taken(struct process *process);
/* RLIMIT_CPU was set or inherited: arms the timer that sends SIGXCPU each second from the soft
 * limit on, and SIGKILL at the hard one. Returns 0 or -ENOMEM. Context: task. */
int interval_limit(struct process *process);
/* The timer ITIMER_* of the alarm's process expired: sends its signal. For this unit only, and for
 * its trace event, from which a thunk of the debug kernel must not hide it: therefore without a
 * context note. */
void interval_over(const struct alarm *alarm, int which);
/* The process ends. Context: task. */
void interval_cancel(struct process *process);

#endif
