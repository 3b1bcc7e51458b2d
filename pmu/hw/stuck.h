/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs between which ring 3 does not go on: where each takes longer than a period, the next comes
 * before the program's next instruction. Context of all: the PMI. */
#ifndef PMU_HW_STUCK_H
#define PMU_HW_STUCK_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/frame.h"

struct hw_cpu;

struct hw_stuck {
	int32_t left; /* PMIs until one is looked at; below 0: this one is */
	bool before;  /* it was stuck when it was looked at last */
	/* Of the one that is looked at. */
	const struct frame *now;
	uint64_t start; /* ns */
	/* Of those that are alike: what they have interrupted, how many, since when, how long they
	 * took, ns. */
	struct frame frame;
	uint32_t times;
	uint64_t since, spent;
};

/* A PMI begins: little is asked of each. */
static inline void hw_stuck_begins(struct hw_stuck *stuck, const struct frame *frame)
{
	if (--stuck->left >= 0)
		return;
	stuck->now = frame;
	stuck->start = clock_ns();
}

static inline bool hw_stuck_looks(const struct hw_stuck *stuck)
{
	return stuck->left < 0;
}

/* One that is looked at has taken its samples: when the program does not get on, its events stop
 * until the tick. */
void hw_stuck_look(struct hw_cpu *cpu);

#endif
