/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in replacement policies: LRU, and a tree of pseudo-LRU bits. */
#include "emulator/sim/component/policies.h"

#include <stdlib.h>
#include <string.h>

/* ---- LRU ---- */

struct lru {
	uint64_t *used; /* when each way was used */
	uint64_t uses;
	uint32_t sets, ways;
};

static void *lru_create(const struct sim_host *host, const uint64_t *parameters,
			uint64_t *statistics)
{
	struct lru *lru = malloc(sizeof(*lru));

	(void)parameters;
	(void)statistics;
	if (!lru)
		return NULL;
	*lru = (struct lru){.sets = host->sets, .ways = host->ways};
	lru->used = calloc((size_t)lru->sets * lru->ways, sizeof(*lru->used));
	if (lru->used)
		return lru;
	free(lru);
	return NULL;
}

static void lru_destroy(void *self)
{
	struct lru *lru = self;

	free(lru->used);
	free(lru);
}

static uint32_t lru_victim(void *self, uint32_t set, const struct sim_access *access)
{
	const struct lru *lru = self;
	const uint64_t *used = lru->used + (size_t)set * lru->ways;
	uint32_t oldest = 0;

	(void)access;
	for (uint32_t way = 1; way < lru->ways; way++)
		if (used[way] < used[oldest])
			oldest = way;
	return oldest;
}

void lru_touch(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct lru *lru = self;

	(void)access;
	lru->used[set * lru->ways + way] = ++lru->uses;
}

static void lru_clear(void *self)
{
	struct lru *lru = self;

	memset(lru->used, 0, (size_t)lru->sets * lru->ways * sizeof(*lru->used));
}

static const struct sim_replacement lru_replacement = {
    .victim = lru_victim, .fill = lru_touch, .hit = lru_touch, .clear = lru_clear};

const struct sim_component component_lru = {
    .version = SIM_VERSION,
    .kind = SIM_REPLACEMENT,
    .flags = SIM_RECENT_IS_QUIET,
    .name = "lru",
    .shows = "the least recently used way leaves",
    .create = lru_create,
    .destroy = lru_destroy,
    .replacement = &lru_replacement,
};

/* ---- a tree of bits ---- */

struct plru {
	uint64_t *bits; /* of each set; the root is bit 1 */
	uint32_t sets, ways, depth;
	struct {
		uint64_t nodes, away; /* the bits on the path to a way, and their values */
	} path[PLRU_WAYS_MAX];
};

/* Each node on the path to a leaf must point to the other side: precomputes the mask and the values
 * of these bits. */
static void plru_paths(struct plru *plru)
{
	for (uint32_t way = 0; way < plru->ways; way++) {
		uint32_t node = 1;

		for (unsigned level = plru->depth; level--;) {
			uint32_t right = way >> level & 1;

			plru->path[way].nodes |= 1ULL << node;
			plru->path[way].away |= (uint64_t)!right << node;
			node = node * 2 + right;
		}
	}
}

static void *plru_create(const struct sim_host *host, const uint64_t *parameters,
			 uint64_t *statistics)
{
	struct plru *plru;

	(void)parameters;
	(void)statistics;
	if (host->ways > PLRU_WAYS_MAX)
		return NULL;
	plru = calloc(1, sizeof(*plru));
	if (!plru)
		return NULL;
	plru->sets = host->sets;
	plru->ways = host->ways;
	while (1U << plru->depth < plru->ways)
		plru->depth++;
	plru_paths(plru);
	plru->bits = calloc(plru->sets, sizeof(*plru->bits));
	if (plru->bits)
		return plru;
	free(plru);
	return NULL;
}

static void plru_destroy(void *self)
{
	struct plru *plru = self;

	free(plru->bits);
	free(plru);
}

/* Returns the way that the bits point to; a side without ways is never taken. */
static uint32_t plru_victim(void *self, uint32_t set, const struct sim_access *access)
{
	const struct plru *plru = self;
	uint32_t node = 1, way = 0;

	(void)access;
	for (unsigned level = plru->depth; level--;) {
		uint32_t right = plru->bits[set] >> node & 1;

		if ((way | right << level) >= plru->ways)
			right = 0;
		way |= right << level;
		node = node * 2 + right;
	}
	return way;
}

void plru_touch(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	struct plru *plru = self;

	(void)access;
	plru->bits[set] = (plru->bits[set] & ~plru->path[way].nodes) | plru->path[way].away;
}

static void plru_clear(void *self)
{
	struct plru *plru = self;

	memset(plru->bits, 0, plru->sets * sizeof(*plru->bits));
}

static const struct sim_replacement plru_replacement = {
    .victim = plru_victim, .fill = plru_touch, .hit = plru_touch, .clear = plru_clear};

const struct sim_component component_plru = {
    .version = SIM_VERSION,
    .kind = SIM_REPLACEMENT,
    .flags = SIM_RECENT_IS_QUIET,
    .name = "plru",
    .shows = "a binary tree of bits points away from the last used way",
    .create = plru_create,
    .destroy = plru_destroy,
    .replacement = &plru_replacement,
};
