/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative array of keys with its replacement. */
#include <stdlib.h>
#include <string.h>

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

/* Each node on the path to a leaf must point to the other side: precomputes the mask and the values
 * of these bits. */
static void tree_paths(struct assoc *a)
{
	for (uint32_t way = 0; way < a->ways; way++) {
		uint32_t node = 1;

		for (unsigned level = a->depth; level--;) {
			uint32_t right = way >> level & 1;

			a->path[way].nodes |= 1ULL << node;
			a->path[way].away |= (uint64_t)!right << node;
			node = node * 2 + right;
		}
	}
}

static void forget_keys(struct assoc *a)
{
	memset(a->keys, 0xff, (size_t)a->sets * a->ways * sizeof(*a->keys));
	memset(a->empty, a->ways, a->sets);
}

bool assoc_init(struct assoc *a, uint32_t sets, uint32_t ways, enum replacement replacement)
{
	size_t entries = (size_t)sets * ways;

	*a = (struct assoc){.sets = sets,
			    .ways = ways,
			    .tree = replacement == REPLACE_PLRU && ways <= ASSOC_TREE_WAYS_MAX};
	if (!entries) {
		a->ways = 0;
		return true;
	}
	while (1U << a->depth < ways)
		a->depth++;
	a->hint_mask = hint_count(entries) - 1;
	a->hints = calloc(a->hint_mask + 1, 1);
	a->keys = malloc(entries * sizeof(*a->keys));
	a->order = calloc(a->tree ? sets : entries, sizeof(*a->order));
	a->state = calloc(entries, 1);
	a->recent = calloc(sets, 1);
	a->empty = malloc(sets);
	if (!a->keys || !a->order || !a->state || !a->recent || !a->empty || !a->hints) {
		assoc_free(a);
		return false;
	}
	if (a->tree)
		tree_paths(a);
	forget_keys(a);
	return true;
}

void assoc_free(struct assoc *a)
{
	free(a->keys);
	free(a->order);
	free(a->state);
	free(a->recent);
	free(a->hints);
	free(a->empty);
	*a = (struct assoc){0};
}

void assoc_clear(struct assoc *a)
{
	size_t entries = (size_t)a->sets * a->ways;

	if (!entries)
		return;
	forget_keys(a);
	memset(a->order, 0, (a->tree ? a->sets : entries) * sizeof(*a->order));
	memset(a->state, 0, entries);
	memset(a->recent, 0, a->sets);
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

/* Returns the way that the bits point to; a side without ways is never taken. */
static uint32_t tree_victim(const struct assoc *a, uint32_t set)
{
	uint32_t node = 1, way = 0;

	for (unsigned level = a->depth; level--;) {
		uint32_t right = a->order[set] >> node & 1;

		if ((way | right << level) >= a->ways)
			right = 0;
		way |= right << level;
		node = node * 2 + right;
	}
	return way;
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

static uint32_t oldest_way(const struct assoc *a, uint32_t set)
{
	const uint64_t *used = a->order + (size_t)set * a->ways;
	uint32_t oldest = 0;

	for (uint32_t way = 1; way < a->ways; way++)
		if (used[way] < used[oldest])
			oldest = way;
	return oldest;
}

void assoc_touch(struct assoc *a, uint32_t set, uint32_t way)
{
	a->recent[set] = way;
	if (a->tree)
		a->order[set] = (a->order[set] & ~a->path[way].nodes) | a->path[way].away;
	else
		a->order[set * a->ways + way] = ++a->uses;
}

uint32_t assoc_insert(struct assoc *a, uint64_t key, uint64_t *victim, uint8_t *state)
{
	uint32_t set = assoc_set(a, key), way, index;

	if (a->empty[set])
		way = empty_way(a, set);
	else
		way = a->tree ? tree_victim(a, set) : oldest_way(a, set);
	index = set * a->ways + way;
	*victim = a->keys[index];
	*state = a->state[index];
	a->keys[index] = key;
	a->state[index] = 0;
	a->empty[set] -= *victim == ASSOC_EMPTY;
	a->hints[key & a->hint_mask] = way;
	assoc_touch(a, set, way);
	return index;
}
