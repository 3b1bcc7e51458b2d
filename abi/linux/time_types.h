/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of system calls. */
#ifndef ABI_LINUX_TIME_TYPES_H
#define ABI_LINUX_TIME_TYPES_H

#include <linux/posix_types.h>
#include <linux/types.h>

typedef long long __kernel_time64_t;

struct __kernel_timespec {
	__kernel_time64_t tv_sec;
	long long tv_nsec;
};

struct __kernel_itimerspec {
	struct __kernel_timespec it_interval, it_value;
};

struct __kernel_old_timeval {
	__kernel_long_t tv_sec, tv_usec;
};

struct __kernel_old_itimerval {
	struct __kernel_old_timeval it_interval, it_value;
};

#endif
