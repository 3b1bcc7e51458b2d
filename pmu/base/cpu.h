/* SPDX-License-Identifier: BSD-2-Clause */
/* State of pmu/ for each processor. */
#ifndef PMU_CPU_H
#define PMU_CPU_H

#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/debug.h"
#include "pmu/base/context.h"

#define NS_PER_SECOND 1000000000ul

#define TICK_NS 1000000ul /* rotation and throttling look at this grain */

#define CALLCHAIN_MARKERS 3
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
	bool buffered;            /* samples may wait in a buffer of hardware. NMI and task */
	uint32_t nr_active;       /* events that take counters and are on */
	/* When the current change began (clock_ns()), 0: there is none. All events turn on and off
	 * at this moment, so that without multiplexing time running is time enabled. Interrupts
	 * masked. */
	uint64_t change_time;
	/* The number of the tick, and the ns that samples of ring 0 spent in it. NMI and
	 * interrupt. */
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
	/* The event of each debug register. Changed: not loaded yet. */
	struct perf_event *breakpoints[DEBUG_SLOTS];
	bool breakpoints_changed;
	uint8_t own_breakpoints; /* registers that events of the processor may want */
	/* By number of registers: how many tasks may need that many. [0] is unused. */
	uint32_t tasks_with[DEBUG_SLOTS + 1];
	struct chain_scratch *chains; /* of call chains. Atomic pointer: NMIs read it */
};

/* Scratch of one processor for call chains: at each level of nesting one of `frames` frames. */
struct chain_scratch {
	uint32_t frames;
	uint64_t entries[];
};

static inline struct pmu_cpu *this_pmu_cpu(void)
{
	return this_cpu_read(pmu);
}

/*
 * Begins a change: all changes of state until its end use one time. Pairs nest. Returns true for
 * the outermost. Context: interrupts masked, same processor.
 */
static inline bool change_begin(void)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	if (cpu->change_time)
		return false;
	cpu->change_time = clock_ns();
	return true;
}

/* Loads the debug registers, as the last part of a change. breakpoints.c. Context: interrupts
 * masked. */
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

/* Returns the time of the current change, or clock_ns() outside of one. */
static inline uint64_t change_now(void)
{
	uint64_t time = this_pmu_cpu()->change_time;

	return time ? time : clock_ns();
}

/* Recomputes which software events count here, after a change of the contexts or their events.
 * Context: interrupts masked. */
static inline void software_kinds_changed(struct pmu_cpu *cpu)
{
	cpu->software_kinds =
	    cpu->ctx.software_kinds | (cpu->task_ctx ? cpu->task_ctx->software_kinds : 0);
}

/* True when an event of this software id counts here: the cheap check. Context: any. */
static inline bool software_wanted(unsigned id)
{
	return this_pmu_cpu()->software_kinds >> id & 1;
}

#endif
