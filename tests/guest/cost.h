/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of programs that print costs in TSC ticks: 2^N an instruction under -icount shift=N. */
#ifndef TESTS_GUEST_COST_H
#define TESTS_GUEST_COST_H

#include <stdint.h>

static inline uint64_t tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* A system call without what the C library adds to it. */
static inline long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* The ticks of a statement, and of reading the TSC twice: the least of `runs` runs, because
 * interrupts also cost. The statement may use the number of the run, `run`. */
#define LEAST_TICKS(runs, statement)                     \
	({                                               \
		uint64_t least_ticks = UINT64_MAX;       \
		for (int run = 0; run < (runs); run++) { \
			uint64_t start = tsc();          \
			statement;                       \
			uint64_t ticks = tsc() - start;  \
			if (ticks < least_ticks)         \
				least_ticks = ticks;     \
		}                                        \
		least_ticks;                             \
	})

#endif
