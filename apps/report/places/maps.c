/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings as a treap (Aragon and Seidel, "Randomized search trees", 1989) whose nodes processes
 * share after a fork: who changes a node of both copies it first. The priorities are random, so
 * that no file makes the tree deep.
 */
#include "apps/report/places/maps.h"

#include <sys/random.h>

#include "apps/report/memory.h"

static uint64_t last_owner;

/* SplitMix64 (Steele and others, "Fast splittable pseudorandom number generators", 2014). */
static uint64_t random_priority(void)
{
	static uint64_t state;
	uint64_t x;

	if (!state && getrandom(&state, sizeof(state), 0) != sizeof(state))
		state = 1;
	x = state += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Returns the node, or a copy that may be changed. */
static struct map *own(const struct maps *maps, struct map *map)
{
	struct map *copy;

	if (map->owner == maps->owner)
		return map;
	copy = report_new(sizeof(*copy));
	*copy = *map;
	copy->owner = maps->owner;
	return copy;
}

/* Splits a tree into the mappings that start below the address, and the others. */
static void split(const struct maps *maps, struct map *tree, uint64_t at, struct map **below,
		  struct map **above)
{
	*below = *above = NULL;
	if (!tree)
		return;
	tree = own(maps, tree);
	if (tree->start < at) {
		split(maps, tree->above, at, &tree->above, above);
		*below = tree;
	} else {
		split(maps, tree->below, at, below, &tree->below);
		*above = tree;
	}
}

/* Joins two trees; all of `below` starts below all of `above`. */
static struct map *join(const struct maps *maps, struct map *below, struct map *above)
{
	if (!below || !above)
		return below ? below : above;
	if (below->priority > above->priority) {
		below = own(maps, below);
		below->above = join(maps, below->above, above);
		return below;
	}
	above = own(maps, above);
	above->below = join(maps, below, above->below);
	return above;
}

static struct map *last_of(struct map *tree)
{
	while (tree && tree->above)
		tree = tree->above;
	return tree;
}

static struct map *new_map(const struct maps *maps, uint64_t start, uint64_t end, uint64_t offset,
			   struct file *file)
{
	struct map *map = report_new(sizeof(*map));

	*map = (struct map){.start = start,
			    .end = end,
			    .offset = offset,
			    .file = file,
			    .priority = random_priority(),
			    .owner = maps->owner};
	return map;
}

void maps_add(struct maps *maps, uint64_t start, uint64_t end, uint64_t offset, struct file *file)
{
	struct map *below, *hidden, *above, *last;

	if (end <= start)
		return;
	split(maps, maps->root, start, &below, &hidden);
	split(maps, hidden, end, &hidden, &above);
	last = last_of(hidden ? hidden : below);
	if (last && last->end > end)
		above = join(
		    maps,
		    new_map(maps, end, last->end, last->offset + (end - last->start), last->file),
		    above);
	last = last_of(below); /* on the way of the split: its own */
	if (last && last->end > start)
		last->end = start;
	below = join(maps, below, new_map(maps, start, end, offset, file));
	maps->root = join(maps, below, above);
}

void maps_fork(struct maps *parent, struct maps *child)
{
	child->root = parent->root;
	child->owner = ++last_owner;
	parent->owner = ++last_owner;
}

const struct map *maps_find(const struct maps *maps, uint64_t address)
{
	const struct map *map = maps->root, *found = NULL;

	while (map) {
		if (map->start <= address)
			found = map;
		map = map->start <= address ? map->above : map->below;
	}
	return found && address < found->end ? found : NULL;
}
