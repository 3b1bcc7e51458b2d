/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoint events of perf_event_open(). */
#ifndef ABI_LINUX_HW_BREAKPOINT_H
#define ABI_LINUX_HW_BREAKPOINT_H

enum {
	HW_BREAKPOINT_EMPTY = 0,
	HW_BREAKPOINT_W = 2,
	HW_BREAKPOINT_RW = 3,
	HW_BREAKPOINT_X = 4,
	HW_BREAKPOINT_INVALID = 7
};

enum { HW_BREAKPOINT_LEN_1 = 1 };

#endif
