/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bipartite matching by augmenting paths, breadth first. A new event takes a counter whose event
 * moves to another counter, and so on until one is free. Added one by one, events find an
 * assignment whenever one exists (Berge's lemma).
 */
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
