/* SPDX-License-Identifier: BSD-2-Clause */
/* A set-associative array of keys with its replacement. */
#include <stdlib.h>
#include <string.h>

#include "core/assoc.h"

enum { MANY_WAYS = 16 };

bool assoc_init(struct assoc *a, uint32_t sets, uint32_t ways, enum replacement replacement)
{
	size_t entries = (size_t)sets * ways;

	*a = (struct assoc){.sets = sets,
			    .ways = ways,
			    .tree = replacement == REPLACE_PLRU && ways <= ASSOC_TREE_WAYS_MAX,
			    .hints = ways > MANY_WAYS};
	if (!entries) {
		a->ways = 0;
		return true;
	}
	while (1U << a->depth < ways)
		a->depth++;
	a->keys = malloc(entries * sizeof(*a->keys));
	a->order = malloc((a->tree ? sets : entries) * sizeof(*a->order));
	a->state = malloc(entries);
	a->recent = malloc(sets);
	if (!a->keys || !a->order || !a->state || !a->recent) {
		assoc_free(a);
		return false;
	}
	assoc_clear(a);
	return true;
}

void assoc_free(struct assoc *a)
{
	free(a->keys);
	free(a->order);
	free(a->state);
	free(a->recent);
	*a = (struct assoc){0};
}

void assoc_clear(struct assoc *a)
{
	size_t entries = (size_t)a->sets * a->ways;

	if (!entries)
		return;
	memset(a->keys, 0xff, entries * sizeof(*a->keys));
	memset(a->order, 0, (a->tree ? a->sets : entries) * sizeof(*a->order));
	memset(a->state, 0, entries);
	memset(a->recent, 0, a->sets);
}

uint32_t assoc_search(struct assoc *a, uint32_t set, uint64_t key)
{
	const uint64_t *keys = a->keys + (size_t)set * a->ways;

	if (a->hints && keys[a->hint[key & 255]] == key)
		return set * a->ways + a->hint[key & 255];
	for (uint32_t way = 0; way < a->ways; way++)
		if (keys[way] == key) {
			a->hint[key & 255] = way;
			return set * a->ways + way;
		}
	return ASSOC_NONE;
}

/* Each node on the way to the leaf points to the other side. */
static void tree_touch(struct assoc *a, uint32_t set, uint32_t way)
{
	uint64_t bits = a->order[set];
	uint32_t node = 1;

	for (unsigned level = a->depth; level--;) {
		uint32_t right = way >> level & 1;

		bits = (bits & ~(1ULL << node)) | (uint64_t)!right << node;
		node = node * 2 + right;
	}
	a->order[set] = bits;
}

/* Where the bits point; a side without ways is never taken. */
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

static uint32_t empty_way(const struct assoc *a, uint32_t set)
{
	const uint64_t *keys = a->keys + (size_t)set * a->ways;

	for (uint32_t way = 0; way < a->ways; way++)
		if (keys[way] == ASSOC_EMPTY)
			return way;
	return ASSOC_NONE;
}

/* Empty entries were used at 0. */
static uint32_t oldest_way(const struct assoc *a, uint32_t set)
{
	const uint64_t *used = a->order + (size_t)set * a->ways;
	uint32_t oldest = 0;

	for (uint32_t way = 1; way < a->ways; way++)
		if (used[way] < used[oldest])
			oldest = way;
	return oldest;
}

void assoc_touch(struct assoc *a, uint32_t index)
{
	uint32_t set = index / a->ways, way = index % a->ways;

	a->recent[set] = way;
	if (a->tree)
		tree_touch(a, set, way);
	else
		a->order[index] = ++a->uses;
}

uint32_t assoc_insert(struct assoc *a, uint64_t key, uint64_t *victim, uint8_t *state)
{
	uint32_t set = assoc_set(a, key), way, index;

	if (a->tree) {
		way = empty_way(a, set);
		if (way == ASSOC_NONE)
			way = tree_victim(a, set);
	} else {
		way = oldest_way(a, set);
	}
	index = set * a->ways + way;
	*victim = a->keys[index];
	*state = a->state[index];
	a->keys[index] = key;
	a->state[index] = 0;
	if (a->hints)
		a->hint[key & 255] = way;
	assoc_touch(a, index);
	return index;
}
