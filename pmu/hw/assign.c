/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bipartite matching by augmenting paths, breadth first. A new event takes a counter whose event
 * moves to another counter, and so on until one is free. Added one by one, events find an
 * assignment whenever one exists (Berge's lemma).
 */
#include "kernel/base/string.h"
#include "pmu/hw/assign.h"

#define NOBODY (-1)

/* Follows the path back from the free counter, and moves each event to the counter reached through
 * it. */
static void move_along(int8_t place[], const int8_t reached_by[], unsigned item, int counter)
{
	for (;;) {
		unsigned mover = (unsigned)reached_by[counter];
		int before = place[mover];

		place[mover] = (int8_t)counter;
		if (mover == item)
			return;
		counter = before;
	}
}

bool assign_counter(const uint64_t allowed[], int8_t place[], unsigned nr, unsigned item)
{
	int8_t owner[ASSIGN_COUNTERS], reached_by[ASSIGN_COUNTERS], queue[ASSIGN_COUNTERS + 1];
	unsigned first = 0, last = 0;
	uint64_t seen = 0;

	for (unsigned c = 0; c < ASSIGN_COUNTERS; c++)
		owner[c] = NOBODY;
	for (unsigned i = 0; i < nr; i++)
		if (place[i] >= 0)
			owner[place[i]] = (int8_t)i;
	queue[last++] = (int8_t)item;
	while (first < last) {
		int8_t mover = queue[first++];
		uint64_t next = allowed[mover] & ~seen;

		seen |= next;
		for (; next; next &= ~(1ul << assign_preferred(next))) {
			int counter = assign_preferred(next);

			reached_by[counter] = mover;
			if (owner[counter] == NOBODY) {
				move_along(place, reached_by, item, counter);
				return true;
			}
			queue[last++] = owner[counter];
		}
	}
	return false;
}

/* ---- pairs ---- */

#define PAIR(counter) (3ul << (counter))

/* Places the pairs: the ones with a place keep it, the others take the highest, because some events
 * need the first counters. Returns the counters of all pairs, or 0 when there is no room. */
static uint64_t place_pairs(const uint64_t allowed[], uint64_t pairs, int8_t place[])
{
	uint64_t taken = 0;

	for (uint64_t left = pairs; left; left &= left - 1)
		if (place[__builtin_ctzl(left)] >= 0)
			taken |= PAIR(place[__builtin_ctzl(left)]);
	for (uint64_t left = pairs; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzl(left);
		uint64_t free = allowed[i] & ~taken & ~(taken >> 1);

		if (place[i] >= 0)
			continue;
		if (!free)
			return 0;
		place[i] = (int8_t)(63 - __builtin_clzl(free));
		taken |= PAIR(place[i]);
	}
	return taken;
}

bool assign_with_pairs(const uint64_t allowed[], uint64_t pairs, int8_t place[], unsigned nr,
		       unsigned item)
{
	uint64_t rest[ASSIGN_COUNTERS + 1], taken;
	int8_t trial[ASSIGN_COUNTERS + 1];

	if (!pairs)
		return assign_counter(allowed, place, nr, item);
	memcpy(trial, place, nr);
	taken = place_pairs(allowed, pairs, trial);
	for (unsigned i = 0; i < nr; i++) {
		bool is_pair = pairs & 1ul << i;

		rest[i] = is_pair ? 0 : allowed[i] & ~taken;
		if (!is_pair && trial[i] >= 0 && !(rest[i] & 1ul << trial[i]))
			trial[i] = -1;
	}
	for (unsigned i = 0; i < nr; i++)
		if (trial[i] < 0 && !assign_counter(rest, trial, nr, i))
			return false;
	if (!taken)
		return false;
	memcpy(place, trial, nr);
	return true;
}
