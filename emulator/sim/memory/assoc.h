/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative array of keys with replacement, for caches, TLBs and the BTB. */
#ifndef CORE_ASSOC_H
#define CORE_ASSOC_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/config.h"

#define ASSOC_EMPTY         UINT64_MAX
#define ASSOC_NONE          UINT32_MAX /* the index of no entry */
#define ASSOC_TREE_WAYS_MAX 64         /* of a tree: its bits are in one word */

struct assoc {
	uint64_t *keys;  /* of each entry, ASSOC_EMPTY where there is none */
	uint64_t *order; /* LRU: when an entry was used; tree: a set's bits, the root is bit 1 */
	uint8_t *state;  /* of each entry, the user's; insert clears it */
	uint8_t *recent; /* the way of each set that was used last */
	uint8_t *empty;  /* ways of each set without a key */
	uint64_t uses;
	uint32_t sets, ways;
	uint8_t depth; /* of the tree */
	bool tree;
	uint8_t *hints; /* the way that a key was last seen in, by its low bits */
	uint32_t hint_mask;
	struct {
		uint64_t nodes,
		    away; /* of a tree: the bits on the path to a way, and their values */
	} path[ASSOC_TREE_WAYS_MAX];
};

/* Returns false if there is no memory. An array without entries (ways 0) never hits. */
bool assoc_init(struct assoc *a, uint32_t sets, uint32_t ways, enum replacement replacement);
void assoc_free(struct assoc *a);
/* Every entry goes. */
void assoc_clear(struct assoc *a);

/* Slow path of assoc_find(): the key is not at its hint. base: its set's first entry. */
uint32_t assoc_search(struct assoc *a, uint32_t base, uint64_t key);
/* Replaces the set's victim by key, which must not be in the array, and marks it as used. Returns
 * its index; *victim gets the evicted key (ASSOC_EMPTY: none), *state its state. */
uint32_t assoc_insert(struct assoc *a, uint64_t key, uint64_t *victim, uint8_t *state);

static inline uint32_t assoc_set(const struct assoc *a, uint64_t key)
{
	return a->sets & (a->sets - 1) ? key % a->sets : key & (a->sets - 1);
}

/* Returns the index of key's entry without marking it as used; ASSOC_NONE: not found. */
static inline uint32_t assoc_find(struct assoc *a, uint64_t key)
{
	uint32_t base, likely;

	if (!a->ways)
		return ASSOC_NONE;
	base = assoc_set(a, key) * a->ways;
	likely = base + a->hints[key & a->hint_mask];
	return a->keys[likely] == key ? likely : assoc_search(a, base, key);
}

/* Marks a way as used: the set's other ways are evicted before it. */
void assoc_touch(struct assoc *a, uint32_t set, uint32_t way);

/* Marks the entry that assoc_find() has found as used. */
static inline void assoc_used(struct assoc *a, uint32_t index)
{
	uint32_t set = assoc_set(a, a->keys[index]), way = index - set * a->ways;

	if (way != a->recent[set])
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
	a->empty[assoc_set(a, a->keys[index])]++;
	a->keys[index] = ASSOC_EMPTY;
}

#endif
