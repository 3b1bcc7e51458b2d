/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative array of keys with its replacement. */
#include <stdlib.h>
#include <string.h>

#include "emulator/sim/component/policies.h"
#include "emulator/sim/memory/assoc.h"

enum { HINTS_MIN = 256, HINTS_MAX = 1 << 16 };

/* Returns a power of two so large that keys seldom share an entry. */
static uint32_t hint_count(size_t entries)
{
	uint32_t count = HINTS_MIN;

	while (count < entries * 4 && count < HINTS_MAX)
		count *= 2;
	return count;
}

static void forget_keys(struct assoc *a)
{
	memset(a->keys, 0xff, (size_t)a->sets * a->ways * sizeof(*a->keys));
	memset(a->empty, a->ways, a->sets);
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
	a->hit = a->policy->hit;
	a->self = a->instance->self;
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
	a->hint_mask = hint_count(entries) - 1;
	a->hints = calloc(a->hint_mask + 1, 1);
	a->keys = malloc(entries * sizeof(*a->keys));
	a->state = calloc(entries, 1);
	a->recent = calloc(sets, 1);
	a->empty = malloc(sets);
	if (!a->keys || !a->state || !a->recent || !a->empty || !a->hints ||
	    !make_policy(a, policy)) {
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
	free(a->recent);
	free(a->hints);
	free(a->empty);
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
	memset(a->recent, 0, a->sets);
	if (a->policy->clear)
		a->policy->clear(a->self);
}

uint32_t assoc_search(struct assoc *a, uint32_t base, uint64_t key)
{
	for (uint32_t way = 0; way < a->ways; way++)
		if (a->keys[base + way] == key) {
			a->hints[key & a->hint_mask] = way;
			return base + way;
		}
	return ASSOC_NONE;
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

void assoc_touch(struct assoc *a, uint32_t set, uint32_t way)
{
	a->recent[set] = way;
	if (a->hit == lru_touch)
		lru_touch(a->self, set, way, a->access);
	else if (a->hit == plru_touch)
		plru_touch(a->self, set, way, a->access);
	else
		a->hit(a->self, set, way, a->access);
}

/* Asks the policy for a way of a full set; ASSOC_NONE: the key is not kept. */
static uint32_t choose_victim(struct assoc *a, uint32_t set)
{
	uint32_t way = a->policy->victim(a->self, set, a->access);

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
	uint32_t way = a->empty[set] ? empty_way(a, set) : choose_victim(a, set);

	*victim = ASSOC_EMPTY;
	if (way == ASSOC_NONE)
		return ASSOC_NONE;
	index = set * a->ways + way;
	*victim = a->keys[index];
	*state = a->state[index];
	a->keys[index] = key;
	a->state[index] = 0;
	a->empty[set] -= *victim == ASSOC_EMPTY;
	a->hints[key & a->hint_mask] = way;
	a->recent[set] = way;
	if (*victim != ASSOC_EMPTY && a->policy->leave)
		a->policy->leave(a->self, set, way);
	if (a->fills)
		a->fills[set]++;
	a->policy->fill(a->self, set, way, a->access);
	return index;
}
