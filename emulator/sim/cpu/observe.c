/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of a whole core. */
#include "emulator/sim/cpu/observe.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sim/branch/predictor.h"
#include "emulator/sim/config/mix.h"
#include "emulator/sim/cpu/core_state.h"

enum { SITES_FIRST = 4096 };

/* A hash table, open, at most half full. */
struct core_observer {
	struct branch_site *sites;
	size_t size, nr;
};

void observer_free(struct core_observer *observer)
{
	if (!observer)
		return;
	free(observer->sites);
	free(observer);
}

bool core_observe(struct core *core)
{
	struct core_observer *observer = calloc(1, sizeof(*observer));

	if (!observer)
		return false;
	observer->size = SITES_FIRST;
	observer->sites = calloc(observer->size, sizeof(*observer->sites));
	core->observer = observer;
	return observer->sites && memory_count_fills(core->memory);
}

static struct branch_site *find_site(struct core_observer *o, uint64_t pc)
{
	size_t at = (pc * MIX_FIRST >> 20) & (o->size - 1);

	while (o->sites[at].pc && o->sites[at].pc != pc)
		at = (at + 1) & (o->size - 1);
	return &o->sites[at];
}

/* Doubles the table. Without memory the new branch is not kept. */
static void grow(struct core_observer *o)
{
	struct core_observer larger = {.size = o->size * 2, .nr = o->nr};

	larger.sites = calloc(larger.size, sizeof(*larger.sites));
	if (!larger.sites)
		return;
	for (size_t i = 0; i < o->size; i++)
		if (o->sites[i].pc)
			*find_site(&larger, o->sites[i].pc) = o->sites[i];
	free(o->sites);
	*o = larger;
}

void observe_branch(struct core_observer *o, uint64_t pc, unsigned kind, unsigned outcome)
{
	struct branch_site *site = find_site(o, pc);

	if (!site->pc) {
		if (o->nr >= o->size / 2)
			grow(o);
		if (o->nr >= o->size / 2)
			return;
		site = find_site(o, pc);
		*site = (struct branch_site){.pc = pc, .kind = (uint8_t)kind};
		o->nr++;
	}
	site->executed++;
	site->mispredicted += (outcome & BRANCH_MISPREDICTED) != 0;
}

unsigned core_components(struct core *core,
			 struct component_instance *instances[OBSERVED_COMPONENTS],
			 const char *places[OBSERVED_COMPONENTS])
{
	unsigned nr = predictor_components(core->predictor, instances, places);

	return nr + memory_components(core->memory, instances + nr, places + nr);
}

void core_find_components(struct core *core)
{
	struct component_instance *instances[OBSERVED_COMPONENTS];
	const char *places[OBSERVED_COMPONENTS];
	unsigned nr = core_components(core, instances, places);

	for (unsigned i = 0; i < nr; i++)
		component_counts_add(&core->component_counts, instances[i], places[i]);
}

void core_snapshot(struct core *core, struct core_snapshot *snapshot)
{
	struct component_instance *instances[OBSERVED_COMPONENTS];
	const char *places[OBSERVED_COMPONENTS];
	unsigned nr = core_components(core, instances, places);

	core_settle(core);
	memcpy(snapshot->totals, core->totals, sizeof(core->totals));
	memcpy(snapshot->prefetch, memory_prefetch_counts(core->memory),
	       sizeof(snapshot->prefetch));
	snapshot->dram = *memory_dram_counts(core->memory);
	for (unsigned i = 0; i < nr; i++)
		memcpy(snapshot->statistics[i], instances[i]->statistics,
		       sizeof(snapshot->statistics[i]));
}

void core_forget_sites(struct core *core)
{
	struct core_observer *o = core->observer;

	memset(o->sites, 0, o->size * sizeof(*o->sites));
	o->nr = 0;
	memory_forget_fills(core->memory);
}

struct branch_site *core_branch_sites(const struct core *core, size_t *nr)
{
	const struct core_observer *o = core->observer;
	struct branch_site *sites = calloc(o->nr + 1, sizeof(*sites));

	*nr = 0;
	for (size_t i = 0; sites && i < o->size; i++)
		if (o->sites[i].pc)
			sites[(*nr)++] = o->sites[i];
	return sites;
}

const uint64_t *core_set_fills(const struct core *core, enum sim_level level, uint32_t *sets)
{
	return memory_fills(core->memory, level, sets);
}
