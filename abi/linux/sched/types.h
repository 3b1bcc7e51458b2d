/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of scheduling. */
#ifndef ABI_LINUX_SCHED_TYPES_H
#define ABI_LINUX_SCHED_TYPES_H

#include <linux/types.h>

#define SCHED_ATTR_SIZE_VER0 48

struct sched_param {
	int sched_priority;
};

struct sched_attr {
	__u32 size, sched_policy;
	__u64 sched_flags;
	__s32 sched_nice;
	__u32 sched_priority;
	__u64 sched_runtime, sched_deadline, sched_period;
	__u32 sched_util_min, sched_util_max;
};

#endif
