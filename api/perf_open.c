/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2). */
#include <linux/errno.h>
#include "api/calls.h"

long sys_perf_event_open(uint64_t attr, uint64_t pid, uint64_t cpu, uint64_t group_fd, uint64_t flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return -ENOSYS;
}
