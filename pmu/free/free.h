/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs of free-running registers: they count always, in all rings, and never interrupt. Each is
 * a table of registers; this is their common part. */
#ifndef PMU_FREE_H
#define PMU_FREE_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"
#include "pmu/base/event.h"

/* A register by its config. A row without a name is no event. */
struct free_counter {
	const char *name;         /* of its file below events/ */
	uint32_t msr;             /* 0: the TSC, by its instruction */
	uint8_t bits;             /* width of the count; 0: 64 */
	const char *unit, *scale; /* files beside it. NULL: none */
	/* The value of an event that is no count but a state, from the register's. NULL: a count */
	int64_t (*state)(uint64_t value);
};

#define FREE_MAX 8 /* rows */

struct free_pmu {
	struct pmu pmu;
	const char *name;                /* of its directory in /sys */
	const struct free_counter *rows; /* by config, at most FREE_MAX */
	unsigned nr;
	const char *format; /* of format/event */
	uint64_t present;   /* the rows that the processor has, as bits. Constant after start */
	uint8_t shift[FREE_MAX]; /* a count is the register's difference << shift. Likewise */
	uint64_t
	    poll_ns; /* a running event is read so often, before the register wraps. 0: never */
	struct cpu_mask
	    cpus; /* processors that have events, the file cpumask; none: tasks also have them */
};

/* Registers the PMU as `type` if it has rows. Returns the number of PMUs: 0 or 1. Context: start.
 */
unsigned free_register(struct free_pmu *pmu, uint32_t type);

/* Returns one processor of each package, or core. Context: start. */
struct cpu_mask free_cpus_of_packages(void);
struct cpu_mask free_cpus_of_cores(void);

/* The PMUs: each detects its registers, and registers itself as `type`. Returns the number of PMUs.
 * Context: start. */
unsigned msr_pmu_init(uint32_t type);
unsigned power_pmu_init(uint32_t type);
unsigned cstate_pmu_init(uint32_t type);

#endif
