/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs between which ring 3 makes no progress: if each takes longer than a period, the next one
 * comes before the program's next instruction. Context of all: the PMI. */
#ifndef PMU_HW_STUCK_H
#define PMU_HW_STUCK_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/frame.h"
#include "arch/x86/cpu/percpu.h"

struct hw_cpu;

struct hw_stuck {
	bool before; /* it was stuck when it was looked at last */
	/* A run of identical PMIs: the interrupted registers, the number, the start, and the total
	 * duration in ns. */
	struct frame frame;
	uint32_t times;
	uint64_t since, spent;
};

/* Counts a PMI; true when it is one to examine. Most only pay for this. */
static inline bool hw_stuck_looks(void)
{
	return this_cpu_count_down(pmis_left);
}

/* A PMI that must be checked, and began at `start` (clock_ns()), has taken its samples: if the
 * program makes no progress, stops its events until the tick. */
void hw_stuck_look(struct hw_cpu *cpu, const struct frame *frame, uint64_t start);

#endif
