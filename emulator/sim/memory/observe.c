/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of a processor's memory beyond its counts: components, prefetches, fills by set. */
#include <string.h>

#include "emulator/sim/memory/memory_state.h"

/* Returns the cache of a level; NULL: there is none. */
static struct assoc *cache_of(const struct memory *m, enum sim_level level)
{
	struct shared_cache *shared = m->shared;

	switch (level) {
	case SIM_L1I:
		return (struct assoc *)&m->l1[FRONT_CODE];
	case SIM_L1D:
		return (struct assoc *)&m->l1[FRONT_DATA];
	case SIM_L2:
		return m->l2.ways ? (struct assoc *)&m->l2 : &shared->lines;
	case SIM_L3:
		return m->l2.ways ? &shared->lines : NULL;
	default:
		return NULL;
	}
}

const struct prefetch_counts *memory_prefetch_counts(const struct memory *m)
{
	return m->prefetch.counts;
}

const struct dram_counts *memory_dram_counts(const struct memory *m)
{
	return &m->dram;
}

unsigned memory_components(struct memory *m, struct component_instance **instances,
			   const char **places)
{
	static const char *const policies[] = {"l1i-policy", "l1d-policy", "l2-policy",
					       "l3-policy"};
	static const char *const prefetchers[] = {"l1i-prefetch", "l1d-prefetch", "l2-prefetch",
						  "l3-prefetch", "tlb-prefetch"};
	unsigned nr = 0;

	for (enum sim_level level = SIM_L1I; level <= SIM_L3; level++)
		if (cache_of(m, level)) {
			places[nr] = policies[level];
			instances[nr++] = cache_of(m, level)->instance;
		}
	for (enum sim_level level = 0; level < SIM_NO_LEVEL; level++)
		for (unsigned i = 0; i < PREFETCHERS_A_LEVEL; i++)
			if (m->prefetch.at[level][i].instance.self) {
				places[nr] = prefetchers[level];
				instances[nr++] = &m->prefetch.at[level][i].instance;
			}
	return nr;
}

bool memory_count_fills(struct memory *m)
{
	for (enum sim_level level = SIM_L1I; level <= SIM_L3; level++)
		if (cache_of(m, level) && !assoc_count_fills(cache_of(m, level)))
			return false;
	return true;
}

void memory_forget_fills(struct memory *m)
{
	for (enum sim_level level = SIM_L1I; level <= SIM_L3; level++) {
		const struct assoc *cache = cache_of(m, level);

		if (cache)
			memset(cache->fills, 0, cache->sets * sizeof(*cache->fills));
	}
}

const uint64_t *memory_fills(const struct memory *m, enum sim_level level, uint32_t *sets)
{
	const struct assoc *cache = cache_of(m, level);

	*sets = cache ? cache->sets : 0;
	return cache ? cache->fills : NULL;
}
