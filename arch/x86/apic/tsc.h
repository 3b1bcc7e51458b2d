/* SPDX-License-Identifier: BSD-2-Clause */
/* The time-stamp counter as the machine's clock. */
#ifndef ARCH_X86_TSC_H
#define ARCH_X86_TSC_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu.h"

/*
 * ns = (((unsigned __int128)tsc * mult) >> shift) - zero: exactly what applications compute from
 * the user page of perf_event. mult and shift fit the user page of perf_event (time_mult: u32,
 * time_shift: u16 < 32).
 */
struct tsc_clock {
	uint64_t base; /* TSC at kernel start: clock_ns() is 0 there */
	uint64_t khz;  /* ticks per millisecond */
	uint32_t mult;
	uint32_t shift;
	uint64_t zero;      /* ns at `base` */
	const char *source; /* "CPUID 15H", "CPUID 40000010H", "ACPI timer", "PIT" */
};

extern struct tsc_clock tsc_clock; /* constant after tsc_init() */

/* Determines the frequency. Context: start, once. At most 1 ms of machine time. */
void tsc_init(void);

/* A point in time at which another counter advanced: its value, the TSC, and the uncertainty in TSC
 * ticks. */
struct tsc_edge {
	uint32_t value;
	uint64_t tsc, uncertainty;
};

/* Watches the counter for a few of its steps and returns the most exact one; false if it does not
 * advance. Context: start. */
bool tsc_find_edge(uint32_t (*read)(void), struct tsc_edge *edge);

/* Nanoseconds since start. Context: any, NMI included. */
uint64_t clock_ns(void);

/* As clock_ns(), inline. */
#ifdef BAREPMU_HOST
#define clock_ns_inline clock_ns
#else
static inline uint64_t clock_ns_inline(void)
{
	return (uint64_t)((unsigned __int128)rdtsc() * tsc_clock.mult >> (tsc_clock.shift & 31)) -
	       tsc_clock.zero;
}
#endif

/* Converts TSC value `tsc` to nanoseconds. Context: any. */
uint64_t tsc_to_ns(uint64_t tsc);

#endif
