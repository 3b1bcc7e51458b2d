/* SPDX-License-Identifier: BSD-2-Clause */
/* Assignment of counters to events: a maximum matching, one event at a time. */
#ifndef PMU_ASSIGN_H
#define PMU_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

/* Indexes of counters: general ones from 0, fixed ones from 32, as in GLOBAL_CTRL. */
#define ASSIGN_COUNTERS 64
#define ASSIGN_FIXED0   32

/*
 * Finds a counter for event `item`, moving others of the `nr` events (at most ASSIGN_COUNTERS) if
 * necessary. allowed[i]: the counters that can count event i; place[i]: its counter, or -1. True:
 * `item` and all events with a counter before have one. False: there is no such assignment, and
 * nothing changed. Fixed counters are preferred to general ones. Context: any; no state.
 */
bool assign_counter(const uint64_t allowed[], int8_t place[], unsigned nr, unsigned item);

/* As assign_counter(), where the events of `pairs` (bits, by index) take a counter and the next
 * one: `allowed` has the lower counters of their pairs, which all serve them alike. */
bool assign_with_pairs(const uint64_t allowed[], uint64_t pairs, int8_t place[], unsigned nr,
		       unsigned item);

/* Returns the preferred counter of `mask`, which is not 0. */
static inline int assign_preferred(uint64_t mask)
{
	uint64_t fixed = mask >> ASSIGN_FIXED0;

	return fixed ? ASSIGN_FIXED0 + __builtin_ctzl(fixed) : __builtin_ctzl(mask);
}

#endif
