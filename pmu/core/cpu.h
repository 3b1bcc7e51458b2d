/* SPDX-License-Identifier: BSD-2-Clause */
/* What pmu/ keeps for each processor. */
#ifndef PMU_CPU_H
#define PMU_CPU_H

#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/debug.h"
#include "pmu/core/core.h"

#define TICK_NS 1000000ul /* rotation and throttling look at this grain */

#define CALLCHAIN_USUAL   127 /* PERF_MAX_STACK_DEPTH */
#define CALLCHAIN_FRAMES  640
#define CALLCHAIN_MARKERS 2
#define CALLCHAIN_LEVELS  3 /* task, interrupt, NMI */

/* Registers that change whenever ring 0 makes progress, except in a polling loop. */
struct ring0_place {
	uint64_t rip, rsp, rax, rcx;
};

struct pmu_cpu {
	struct context ctx;       /* the processor's events */
	struct context *task_ctx; /* the current task's, NULL: it has none */
	uint32_t software_kinds;  /* of both contexts */
	bool rdpmc;               /* CR4.PCE */
	bool exclusive;           /* an exclusive group is on */
	uint32_t nr_active;       /* events that take counters and are on */
	/* When the change under way began (clock_ns()), 0: there is none. All events that it turns
	 * on or off do so at this moment, so that without multiplexing time running is time
	 * enabled. Interrupts masked. */
	uint64_t change_time;
	/* ns that samples of ring 0 took of the tick of that number. NMI and interrupt. */
	uint64_t ring0_window, ring0_spent;
	uint64_t ring0_since; /* when the PMI under way began to sample ring 0; 0: it did not. NMI
				 only */
	struct ring0_place ring0_place; /* where the last PMI found ring 0. NMI only */
	uint32_t ring0_stuck;           /* how many found it there, one after the other. NMI only */
	/* samples that trigger a handler since the program made progress. NMI and interrupt */
	uint32_t handlers;
	uint64_t turn_ends; /* of the flexible groups that are on, clock_ns() */
	struct timer tick;
	bool tick_armed;
	uint32_t nr_throttled; /* atomic: NMI and interrupt */
	/* By debug register: the event that has it. Changed: since they were loaded. */
	struct perf_event *breakpoints[DEBUG_SLOTS];
	bool breakpoints_changed;
	uint8_t own_breakpoints; /* registers that events of the processor may want */
	/* How many tasks may want so many. [0] means nothing. */
	uint32_t tasks_with[DEBUG_SLOTS + 1];
	/* Scratch of one call chain for each level of nesting. */
	uint64_t chain[CALLCHAIN_LEVELS][CALLCHAIN_FRAMES + CALLCHAIN_MARKERS];
};

static inline struct pmu_cpu *this_pmu_cpu(void)
{
	return this_cpu_read(pmu);
}

/*
 * The outermost pair takes the time of all changes of state between them. Context: interrupts
 * masked, same processor.
 */
static inline bool change_begin(void)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	if (cpu->change_time)
		return false;
	cpu->change_time = clock_ns();
	return true;
}

/* Debug registers change when all else has. breakpoint.c. Context: interrupts masked. */
void breakpoints_load(struct pmu_cpu *cpu);
static inline void breakpoints_settle(struct pmu_cpu *cpu)
{
	if (cpu->breakpoints_changed)
		breakpoints_load(cpu);
}

static inline void change_end(bool outermost)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	if (!outermost)
		return;
	cpu->change_time = 0;
	breakpoints_settle(cpu);
}

/* That time, or clock_ns() outside of a pair. */
static inline uint64_t change_now(void)
{
	uint64_t time = this_pmu_cpu()->change_time;

	return time ? time : clock_ns();
}

/* The contexts that count here, or what they count, have changed. Context: interrupts masked. */
static inline void software_kinds_changed(struct pmu_cpu *cpu)
{
	cpu->software_kinds =
	    cpu->ctx.software_kinds | (cpu->task_ctx ? cpu->task_ctx->software_kinds : 0);
}

/* Asks cheaply whether any event of this software id counts here now. Context: any. */
static inline bool software_wanted(unsigned id)
{
	return this_pmu_cpu()->software_kinds >> id & 1;
}

/* The PMU of the processors, chosen once by hardware_init(); NULL: there is none. Where they differ
 * it stands for any: operations that take no event do what this processor needs. */
extern const struct pmu *hardware_pmu;
/* All that events may be of, NULL after the last. */
#define HARDWARE_PMUS 2
extern const struct pmu *hardware_pmus[HARDWARE_PMUS];
/* Finds it and prepares every processor's. Context: start. */
void hardware_init(void);

#endif
