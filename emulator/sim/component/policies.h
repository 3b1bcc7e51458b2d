/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in replacement policies. */
#ifndef SIM_COMPONENT_POLICIES_H
#define SIM_COMPONENT_POLICIES_H

#include <stddef.h>

#include "abi/sim.h"

/* The least recently used way leaves; a binary tree of bits points away from the last used way, for
 * up to PLRU_WAYS_MAX ways. */
extern const struct sim_component component_lru, component_plru;

#define PLRU_WAYS_MAX 64 /* a set's bits are in one word */

/* Their states: what their functions do the arrays of the core do inline, without branches that
 * the host could not predict. */
struct lru {
	uint64_t *used; /* when each way was used */
	uint64_t uses;
	uint32_t sets, ways;
};

struct plru {
	uint64_t *bits; /* of each set; the root is bit 1 */
	uint32_t sets, ways, depth;
	struct {
		uint64_t nodes, away; /* the bits on the path to a way, and their values */
	} path[PLRU_WAYS_MAX];
};

static inline void lru_use(struct lru *lru, uint32_t set, uint32_t way)
{
	lru->used[set * lru->ways + way] = ++lru->uses;
}

static inline uint32_t lru_oldest(const struct lru *lru, uint32_t set)
{
	const uint64_t *used = lru->used + (size_t)set * lru->ways;
	uint64_t least = used[0];
	uint32_t oldest = 0;

	for (uint32_t way = 1; way < lru->ways; way++) {
		oldest = used[way] < least ? way : oldest;
		least = used[way] < least ? used[way] : least;
	}
	return oldest;
}

static inline void plru_use(struct plru *plru, uint32_t set, uint32_t way)
{
	plru->bits[set] = (plru->bits[set] & ~plru->path[way].nodes) | plru->path[way].away;
}

/* Returns the way that the bits point to; a side without ways is never taken. */
static inline uint32_t plru_away(const struct plru *plru, uint32_t set)
{
	uint64_t bits = plru->bits[set];
	uint32_t node = 1, way = 0;

	for (unsigned level = plru->depth; level--;) {
		uint32_t right = bits >> node & 1;

		right &= (way | 1u << level) < plru->ways;
		way |= right << level;
		node = node * 2 + right;
	}
	return way;
}

#endif
