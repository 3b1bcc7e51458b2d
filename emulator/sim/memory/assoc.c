/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative array of keys with its replacement. */
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/memory/assoc.h"

#define ASSOC_LINE (ASSOC_KEYS_A_LINE * sizeof(uint64_t))

static size_t round_up(size_t bytes)
{
	return (bytes + ASSOC_LINE - 1) / ASSOC_LINE * ASSOC_LINE;
}

static void forget_keys(struct assoc *a)
{
	memset(a->keys, 0xff, (size_t)a->sets * a->ways * sizeof(*a->keys));
	for (uint32_t set = 0; set < a->sets; set++)
		a->each[set] = (struct assoc_set){.empty = a->ways};
}

static bool make_policy(struct assoc *a, const struct assoc_policy *policy)
{
	static const struct sim_component *const builtin[] = {
	    [REPLACE_LRU] = &component_lru, [REPLACE_PLRU] = &component_plru};
	bool tree = policy->replacement == REPLACE_PLRU && a->ways <= PLRU_WAYS_MAX;
	const struct component_use *use =
	    policy->use && policy->use->component ? policy->use : NULL;
	const struct sim_component *component =
	    use ? use->component : builtin[tree ? REPLACE_PLRU : REPLACE_LRU];

	a->instance = calloc(1, sizeof(*a->instance));
	if (!a->instance)
		return false;
	a->instance->host = (struct sim_host){.processor = policy->processor,
					      .level = policy->level,
					      .sets = a->sets,
					      .ways = a->ways};
	if (!component_make(a->instance, component, use ? use->parameters : NULL, use))
		return false;
	a->policy = component->replacement;
	a->self = a->instance->self;
	a->lru = component == &component_lru ? a->self : NULL;
	a->plru = component == &component_plru ? a->self : NULL;
	a->quiet = component->flags & SIM_RECENT_IS_QUIET;
	return true;
}

bool assoc_init_by(struct assoc *a, uint32_t sets, uint32_t ways, const struct assoc_policy *policy)
{
	size_t entries = (size_t)sets * ways;

	*a = (struct assoc){.sets = sets, .ways = ways};
	if (!entries) {
		a->ways = 0;
		return true;
	}
	a->keys = aligned_alloc(ASSOC_LINE, round_up(entries * sizeof(*a->keys)));
	a->state = calloc(entries, 1);
	a->each = malloc(sets * sizeof(*a->each));
	if (!a->keys || !a->state || !a->each || !make_policy(a, policy)) {
		assoc_free(a);
		return false;
	}
	forget_keys(a);
	return true;
}

bool assoc_init(struct assoc *a, uint32_t sets, uint32_t ways, enum replacement replacement)
{
	return assoc_init_by(
	    a, sets, ways,
	    &(struct assoc_policy){.replacement = replacement, .level = SIM_NO_LEVEL});
}

void assoc_free(struct assoc *a)
{
	if (a->instance)
		component_end(a->instance);
	free(a->instance);
	free(a->keys);
	free(a->state);
	free(a->each);
	free(a->fills);
	*a = (struct assoc){0};
}

bool assoc_count_fills(struct assoc *a)
{
	if (a->ways && !a->fills)
		a->fills = calloc(a->sets, sizeof(*a->fills));
	return !a->ways || a->fills;
}

void assoc_clear(struct assoc *a)
{
	size_t entries = (size_t)a->sets * a->ways;

	if (!entries)
		return;
	forget_keys(a);
	memset(a->state, 0, entries);
	if (a->policy->clear)
		a->policy->clear(a->self);
}

/* There is one. */
static uint32_t empty_way(const struct assoc *a, uint32_t set)
{
	const uint64_t *keys = a->keys + (size_t)set * a->ways;
	uint32_t way = 0;

	while (keys[way] != ASSOC_EMPTY)
		way++;
	return way;
}

/* Asks the policy for a way of a full set; ASSOC_NONE: the key is not kept. */
static uint32_t choose_victim(struct assoc *a, uint32_t set)
{
	uint32_t way;

	if (a->plru)
		return plru_away(a->plru, set);
	if (a->lru)
		return lru_oldest(a->lru, set);
	way = a->policy->victim(a->self, set, a->access);
	if (way < a->ways)
		return way;
	if (way != SIM_BYPASS)
		component_fail(a->instance, "victim() returned way %u of %u", way, a->ways);
	if (!a->may_bypass)
		component_fail(a->instance, "victim() bypasses a cache that must keep its lines");
	return ASSOC_NONE;
}

uint32_t assoc_insert(struct assoc *a, uint64_t key, uint64_t *victim, uint8_t *state)
{
	uint32_t set = assoc_set(a, key), index;
	uint32_t way = a->each[set].empty ? empty_way(a, set) : choose_victim(a, set);

	*victim = ASSOC_EMPTY;
	if (way == ASSOC_NONE)
		return ASSOC_NONE;
	index = set * a->ways + way;
	*victim = a->keys[index];
	*state = a->state[index];
	a->keys[index] = key;
	a->state[index] = 0;
	a->each[set].empty -= *victim == ASSOC_EMPTY;
	a->each[set].recent = way;
	if (*victim != ASSOC_EMPTY && a->policy->leave)
		a->policy->leave(a->self, set, way);
	if (a->fills)
		a->fills[set]++;
	if (a->plru)
		plru_use(a->plru, set, way);
	else if (a->lru)
		lru_use(a->lru, set, way);
	else
		a->policy->fill(a->self, set, way, a->access);
	return index;
}
