/* SPDX-License-Identifier: BSD-2-Clause */
/* times(). */
#ifndef ABI_LINUX_TIMES_H
#define ABI_LINUX_TIMES_H

#include <linux/posix_types.h>

struct tms {
	__kernel_clock_t tms_utime, tms_stime, tms_cutime, tms_cstime;
};

#endif
