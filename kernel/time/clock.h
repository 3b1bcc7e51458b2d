/* SPDX-License-Identifier: BSD-2-Clause */
/* Real time: the battery clock, read once, plus the time since start. */
#ifndef KERNEL_CLOCK_H
#define KERNEL_CLOCK_H

#include <stdint.h>

#define NS_PER_SEC 1000000000ll

/* Reads the battery clock. Context: start, once, after tsc_init(). */
void clock_init(void);

/* Nanoseconds since 1970. Context: any. */
int64_t clock_real_ns(void);
/* Sets the real time. Context: task. */
void clock_set_real_ns(int64_t ns);
/* Returns the wall-clock time when clock_ns() was 0. Context: any. */
int64_t clock_real_at_start_ns(void);

#endif
