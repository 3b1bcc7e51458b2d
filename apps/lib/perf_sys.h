/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2) for C programs: the C libraries have no wrapper of it. */
#ifndef APPS_LIB_PERF_SYS_H
#define APPS_LIB_PERF_SYS_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include "abi/linux/perf_event.h"

/* Returns a file descriptor, or -1 and errno (man 2 perf_event_open). */
static inline int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
				  unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

#endif
