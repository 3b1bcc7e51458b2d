/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors that share counters or registers: threads of a core, cores of a northbridge. */
#ifndef PMU_NEIGHBOURS_H
#define PMU_NEIGHBOURS_H

#include "pmu/hw/hw.h"

/* The kernel lock protects what neighbours use: this processor holds it, or serves a processor that
 * holds it and waits. */

/* ---- Context: interrupts masked on the processor that counts. ---- */

/* Finds the processor's neighbours, by its model and the APIC IDs. Context: start, on it. */
void hw_neighbours_find(struct hw_cpu *cpu);

/* The slow paths of the two functions below: the processor has neighbours. */
uint64_t hw_allowed_beside(const struct hw_cpu *cpu, const struct hw_event *hw);
bool hw_room_beside(const struct hw_cpu *cpu);

/* Returns the counters that can count the event now: hw.allowed without the ones that neighbours
 * use, as far as the event or theirs is exclusive. */
static inline uint64_t hw_allowed(const struct hw_cpu *cpu, const struct hw_event *hw)
{
	return cpu->has_neighbours ? hw_allowed_beside(cpu, hw) : hw->allowed;
}

/* Returns whether one more event may have a counter: while a strict exclusive event counts on a
 * core, each of its threads gets at most half of its counters, so that none starves. */
static inline bool hw_neighbours_leave_room(const struct hw_cpu *cpu)
{
	return !cpu->has_neighbours || hw_room_beside(cpu);
}

#endif
