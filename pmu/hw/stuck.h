/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs between which ring 3 does not go on: where each takes longer than a period, the next comes
 * before the program's next instruction. Context of all: the PMI. */
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
	/* Of those that are alike: what they have interrupted, how many, since when, how long they
	 * took, ns. */
	struct frame frame;
	uint32_t times;
	uint64_t since, spent;
};

/* A PMI comes: whether it is looked at. Nothing else is asked of each. */
static inline bool hw_stuck_looks(void)
{
	return this_cpu_count_down(pmis_left);
}

/* One that is looked at, and began at `start` (clock_ns()), has taken its samples: when the program
 * does not get on, its events stop until the tick. */
void hw_stuck_look(struct hw_cpu *cpu, const struct frame *frame, uint64_t start);

#endif
