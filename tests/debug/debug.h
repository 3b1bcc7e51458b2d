/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the debug kernel's tests. */
#ifndef TESTS_DEBUG_DEBUG_H
#define TESTS_DEBUG_DEBUG_H

#include "kernel/debug/control.h"
#include "tests/fuzz/fuzz.h"

static inline long debug_control(enum debug_control what, uint64_t first, uint64_t second)
{
	return syscall(DEBUG_CALL, what, first, second);
}

static inline struct debug_count debug_count(void)
{
	struct debug_count count;

	memset(&count, 0, sizeof(count));
	debug_control(DEBUG_COUNT, (uintptr_t)&count, 0);
	return count;
}

#endif
