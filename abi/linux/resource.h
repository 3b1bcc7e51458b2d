/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits and usage of resources. */
#ifndef ABI_LINUX_RESOURCE_H
#define ABI_LINUX_RESOURCE_H

#include <linux/time.h>
#include <linux/types.h>

#define RLIMIT_CPU        0
#define RLIMIT_FSIZE      1
#define RLIMIT_DATA       2
#define RLIMIT_STACK      3
#define RLIMIT_CORE       4
#define RLIMIT_RSS        5
#define RLIMIT_NPROC      6
#define RLIMIT_NOFILE     7
#define RLIMIT_MEMLOCK    8
#define RLIMIT_AS         9
#define RLIMIT_LOCKS      10
#define RLIMIT_SIGPENDING 11
#define RLIMIT_MSGQUEUE   12
#define RLIMIT_NICE       13
#define RLIMIT_RTPRIO     14
#define RLIMIT_RTTIME     15

#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2

#define RLIM64_INFINITY (~0ull)

#define RUSAGE_SELF     0
#define RUSAGE_THREAD   1
#define RUSAGE_CHILDREN (-1)

struct rlimit64 {
	__u64 rlim_cur, rlim_max;
};

struct rusage {
	struct __kernel_old_timeval ru_utime, ru_stime;
	__kernel_long_t ru_maxrss, ru_ixrss, ru_idrss, ru_isrss;
	__kernel_long_t ru_minflt, ru_majflt, ru_nswap;
	__kernel_long_t ru_inblock, ru_oublock;
	__kernel_long_t ru_msgsnd, ru_msgrcv;
	__kernel_long_t ru_nsignals, ru_nvcsw, ru_nivcsw;
};

#endif
