/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative array of keys with its replacement: what caches, TLBs and a BTB have in common.
 */
#ifndef CORE_ASSOC_H
#define CORE_ASSOC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config.h"

#define ASSOC_EMPTY         UINT64_MAX
#define ASSOC_NONE          UINT32_MAX /* the index of no entry */
#define ASSOC_WAYS_MAX      128
#define ASSOC_TREE_WAYS_MAX 64 /* of a tree: its bits are in one word */

struct assoc {
	uint64_t *keys;  /* of each entry, ASSOC_EMPTY where there is none */
	uint64_t *order; /* LRU: when an entry was used; tree: a set's bits, the root is bit 1 */
	uint8_t *state;  /* of each entry, the user's; insert clears it */
	uint8_t *recent; /* the way of each set that was used last */
	uint64_t uses;
	uint32_t sets, ways;
	uint8_t depth; /* of the tree */
	bool tree;
	bool hints;        /* there are many ways: where a key was is remembered */
	uint8_t hint[256]; /* the way, by the key's low bits */
};

/* Returns false without memory for it. An array without entries (ways 0) finds nothing. */
bool assoc_init(struct assoc *a, uint32_t sets, uint32_t ways, enum replacement replacement);
void assoc_free(struct assoc *a);
/* Every entry goes. */
void assoc_clear(struct assoc *a);

/* Not the most recent one, or not there: the longer way of assoc_find(). */
uint32_t assoc_search(struct assoc *a, uint32_t set, uint64_t key);
/* Puts key, which must not be there, into the place of the set's victim, and uses it.
 * Returns its index; *victim gets the key that left (ASSOC_EMPTY: none), *state what its state was.
 */
uint32_t assoc_insert(struct assoc *a, uint64_t key, uint64_t *victim, uint8_t *state);

static inline uint32_t assoc_set(const struct assoc *a, uint64_t key)
{
	return a->sets & (a->sets - 1) ? key % a->sets : key & (a->sets - 1);
}

/* Whether the entry is the one of its set that was used last. */
static inline bool assoc_is_recent(const struct assoc *a, uint32_t set, uint32_t index)
{
	return index == set * a->ways + a->recent[set];
}

/* Returns the index of key's entry, which counts as no use; ASSOC_NONE when there is none. */
static inline uint32_t assoc_find(struct assoc *a, uint64_t key)
{
	if (!a->ways)
		return ASSOC_NONE;

	uint32_t set = assoc_set(a, key), recent = set * a->ways + a->recent[set];

	return a->keys[recent] == key ? recent : assoc_search(a, set, key);
}

/* An entry is used: the set's other entries leave before it. */
void assoc_touch(struct assoc *a, uint32_t index);

/* Finds and uses. */
static inline uint32_t assoc_use(struct assoc *a, uint64_t key)
{
	uint32_t index = assoc_find(a, key);

	if (index != ASSOC_NONE && !assoc_is_recent(a, assoc_set(a, key), index))
		assoc_touch(a, index);
	return index;
}

static inline void assoc_remove(struct assoc *a, uint32_t index)
{
	a->keys[index] = ASSOC_EMPTY;
	if (!a->tree)
		a->order[index] = 0;
}

#endif
