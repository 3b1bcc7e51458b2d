/* SPDX-License-Identifier: BSD-2-Clause */
/* setitimer(2): the real-time interval timer of a process. */
#ifndef KERNEL_INTERVAL_H
#define KERNEL_INTERVAL_H

#include <stdint.h>

struct process;

/* Sets (value 0: disarms) and reads; all in nanoseconds, value is the time left. Returns 0 or
 * -ENOMEM. Context: task. */
int interval_set(struct process *process, uint64_t value, uint64_t period);
void interval_get(const struct process *process, uint64_t *value, uint64_t *period);
/* The process ends. */
void interval_cancel(struct process *process);

#endif
