/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in replacement policies: LRU, and a tree of pseudo-LRU bits. */
#include "emulator/sim/component/policies.h"

#include <stdlib.h>
#include <string.h>

/* ---- LRU ---- */

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
	(void)access;
	return lru_oldest(self, set);
}

static void lru_touch(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	(void)access;
	lru_use(self, set, way);
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

static uint32_t plru_victim(void *self, uint32_t set, const struct sim_access *access)
{
	(void)access;
	return plru_away(self, set);
}

static void plru_touch(void *self, uint32_t set, uint32_t way, const struct sim_access *access)
{
	(void)access;
	plru_use(self, set, way);
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
