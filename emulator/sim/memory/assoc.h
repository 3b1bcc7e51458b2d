/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative array of keys with replacement, for caches, TLBs and the BTB. */
#ifndef CORE_ASSOC_H
#define CORE_ASSOC_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/component/component.h"
#include "emulator/sim/component/policies.h"
#include "emulator/sim/config/config.h"

#define ASSOC_EMPTY UINT64_MAX
#define ASSOC_NONE  UINT32_MAX /* the index of no entry */

#define ASSOC_KEYS_A_LINE 8 /* of the host's cache */

struct assoc_set {
	uint8_t recent; /* the way that was used last */
	uint8_t empty;  /* ways without a key */
};

struct assoc {
	uint64_t *keys; /* of each entry, ASSOC_EMPTY where there is none */
	uint8_t *state; /* of each entry, the user's; insert clears it */
	struct assoc_set *each;
	uint32_t sets, ways;
	bool quiet;      /* a hit of the way used last changes nothing */
	bool may_bypass; /* the policy may refuse a key; set by the owner */
	struct lru *lru; /* the policy's state; NULL: it is another one */
	struct plru *plru;
	const struct sim_replacement *policy;
	void *self;                      /* the policy's */
	const struct sim_access *access; /* the present access, for the policy */
	struct component_instance *instance;
	uint64_t *fills; /* of each set, since they are counted; NULL: they are not */
};

/* A policy and where it is. */
struct assoc_policy {
	enum replacement replacement; /* a built-in one, unless `use` has a component */
	const struct component_use *use;
	enum sim_level level;
	unsigned processor;
};

/* Returns false if there is no memory. An array without entries (ways 0) never hits. */
bool assoc_init(struct assoc *a, uint32_t sets, uint32_t ways, enum replacement replacement);
/* As assoc_init(), by a policy that may be a user's. */
bool assoc_init_by(struct assoc *a, uint32_t sets, uint32_t ways,
		   const struct assoc_policy *policy);
void assoc_free(struct assoc *a);
/* Counts insertions by set from now on. Returns false if there is no memory. */
bool assoc_count_fills(struct assoc *a);
/* Every entry goes. */
void assoc_clear(struct assoc *a);

/* Replaces the set's victim by key, which must not be in the array, and marks it as used. Returns
 * its index; *victim gets the evicted key (ASSOC_EMPTY: none), *state its state. ASSOC_NONE: the
 * policy does not want the key, if it may. */
uint32_t assoc_insert(struct assoc *a, uint64_t key, uint64_t *victim, uint8_t *state);

static inline uint32_t assoc_set(const struct assoc *a, uint64_t key)
{
	return a->sets & (a->sets - 1) ? key % a->sets : key & (a->sets - 1);
}

/* Returns the index of key's entry without marking it as used; ASSOC_NONE: not found. Looks at all
 * ways: the host could not predict at which one to stop. */
static inline uint32_t assoc_find(const struct assoc *a, uint64_t key)
{
	const uint64_t *keys;
	uint32_t base, found = 0;

	if (!a->ways)
		return ASSOC_NONE;
	base = assoc_set(a, key) * a->ways;
	keys = a->keys + base;
#pragma GCC unroll 4
	for (uint32_t way = 0; way < a->ways; way++)
		found = keys[way] == key ? way + 1 : found;
	return found ? base + found - 1 : ASSOC_NONE;
}

/* Fetches what is known of the key's set into the host's caches: it is needed soon. */
static inline void assoc_prefetch(const struct assoc *a, uint64_t key)
{
	uint32_t set = assoc_set(a, key);

	for (uint32_t way = 0; way < a->ways; way += ASSOC_KEYS_A_LINE)
		__builtin_prefetch(&a->keys[set * a->ways + way]);
	__builtin_prefetch(&a->state[set * a->ways]);
	__builtin_prefetch(&a->each[set]);
	if (a->plru)
		__builtin_prefetch(&a->plru->bits[set]);
}

/* Marks a way as used: the set's other ways are evicted before it. */
static inline void assoc_touch(struct assoc *a, uint32_t set, uint32_t way)
{
	a->each[set].recent = way;
	if (a->plru)
		plru_use(a->plru, set, way);
	else if (a->lru)
		lru_use(a->lru, set, way);
	else
		a->policy->hit(a->self, set, way, a->access);
}

/* Marks the entry that assoc_find() has found as used. */
static inline void assoc_used(struct assoc *a, uint32_t index)
{
	uint32_t set = assoc_set(a, a->keys[index]), way = index - set * a->ways;

	if (way != a->each[set].recent || !a->quiet)
		assoc_touch(a, set, way);
}

/* Finds and uses. */
static inline uint32_t assoc_use(struct assoc *a, uint64_t key)
{
	uint32_t index = assoc_find(a, key);

	if (index != ASSOC_NONE)
		assoc_used(a, index);
	return index;
}

static inline void assoc_remove(struct assoc *a, uint32_t index)
{
	uint32_t set = assoc_set(a, a->keys[index]);

	a->each[set].empty++;
	a->keys[index] = ASSOC_EMPTY;
	if (a->policy->leave)
		a->policy->leave(a->self, set, index - set * a->ways);
}

#endif
