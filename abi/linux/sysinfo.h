/* SPDX-License-Identifier: BSD-2-Clause */
/* sysinfo(). */
#ifndef ABI_LINUX_SYSINFO_H
#define ABI_LINUX_SYSINFO_H

#include <linux/posix_types.h>
#include <linux/types.h>

struct sysinfo {
	__kernel_long_t uptime;
	__kernel_ulong_t loads[3];
	__kernel_ulong_t totalram, freeram, sharedram, bufferram, totalswap, freeswap;
	__u16 procs, pad;
	__kernel_ulong_t totalhigh, freehigh;
	__u32 mem_unit;
};

#endif
