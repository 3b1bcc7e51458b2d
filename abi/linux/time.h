/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks and interval timers. */
#ifndef ABI_LINUX_TIME_H
#define ABI_LINUX_TIME_H

#include <linux/time_types.h>

#define CLOCK_REALTIME           0
#define CLOCK_MONOTONIC          1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID  3
#define CLOCK_MONOTONIC_RAW      4
#define CLOCK_REALTIME_COARSE    5
#define CLOCK_MONOTONIC_COARSE   6
#define CLOCK_BOOTTIME           7
#define CLOCK_REALTIME_ALARM     8
#define CLOCK_BOOTTIME_ALARM     9
#define CLOCK_TAI                11

#define ITIMER_REAL    0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF    2

#define TIMER_ABSTIME 0x1

struct timespec {
	__kernel_old_time_t tv_sec;
	long tv_nsec;
};

struct timeval {
	__kernel_old_time_t tv_sec;
	long tv_usec;
};

struct itimerval {
	struct timeval it_interval, it_value;
};

struct timezone {
	int tz_minuteswest, tz_dsttime;
};

#endif
