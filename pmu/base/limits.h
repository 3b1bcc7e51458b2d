/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of /proc/sys/kernel/perf_event_*, and the privilege to exceed them. */
#ifndef PMU_LIMITS_H
#define PMU_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#define CALLCHAIN_USUAL 127 /* PERF_MAX_STACK_DEPTH */

/* The values of /proc/sys/kernel/perf_event_*; root may change them. */
struct perf_limits {
	int paranoid;         /* -1 .. 3 */
	uint32_t sample_rate; /* Hz, highest sample_freq */
	int mlock_kb; /* ring memory beyond RLIMIT_MEMLOCK, for each processor; negative: any */
	uint32_t max_stack;    /* frames in a call chain: callchain_reserve() */
	uint32_t max_contexts; /* changes of ring in a call chain */
	uint32_t cpu_percent;  /* of a processor that samples of ring 0 may take; 0, 100: all */
	/* Limits from values other than the defaults. Atomic. */
	uint32_t tick_samples; /* of an event in a tick; 0: no limit */
	uint64_t sample_ns;    /* that an interrupt may take on average; 0: any time */
};
extern struct perf_limits perf_limits;

#define USUAL_SAMPLE_RATE 100000
#define USUAL_CPU_PERCENT 25

/* Number of events that collect call chains, and of maps of stacks: while it is not 0, max_stack
 * and max_contexts cannot change. */
extern uint32_t nr_callchain_events;

/* True when the current task has CAP_PERFMON, or CAP_SYS_ADMIN, which came before it. Context:
 * task. */
bool perf_privileged(void);

/* Number of events that want build ids. */
extern uint32_t nr_build_id_events;

#endif
