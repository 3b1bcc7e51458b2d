/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory map. */
#include "emulator/visor/base/memory_map.h"

#include "emulator/visor/base/lib.h"

bool ranges_overlap(struct range a, struct range b)
{
	return a.base < b.base + b.bytes && b.base < a.base + a.bytes;
}

static bool inside(struct range inner, struct pvh_region outer)
{
	return outer.kind == PVH_MEMORY_USABLE && inner.base >= outer.base &&
	       inner.bytes <= outer.bytes && inner.base - outer.base <= outer.bytes - inner.bytes;
}

bool map_usable(const struct memory_map *map, struct range range)
{
	for (unsigned i = 0; i < map->nr; i++)
		if (inside(range, map->regions[i]))
			return true;
	return false;
}

/* Returns the lowest range of `taken` that overlaps `range`, or NULL. */
static const struct range *obstacle(struct range range, const struct range *taken,
				    unsigned nr_taken)
{
	const struct range *lowest = NULL;

	for (unsigned i = 0; i < nr_taken; i++)
		if (ranges_overlap(range, taken[i]) && (!lowest || taken[i].base < lowest->base))
			lowest = &taken[i];
	return lowest;
}

static uint64_t highest_in(struct pvh_region region, uint64_t bytes, uint64_t align,
			   uint64_t ceiling, const struct range *taken, unsigned nr_taken)
{
	uint64_t end = region.base + region.bytes;

	if (end > ceiling)
		end = ceiling;
	while (end >= bytes) {
		struct range candidate = {(end - bytes) & ~(align - 1), bytes};
		const struct range *in_the_way;

		if (candidate.base < region.base || !candidate.base)
			return 0;
		in_the_way = obstacle(candidate, taken, nr_taken);
		if (!in_the_way)
			return candidate.base;
		end = in_the_way->base;
	}
	return 0;
}

uint64_t map_find_high(const struct memory_map *map, uint64_t bytes, uint64_t align,
		       uint64_t ceiling, const struct range *taken, unsigned nr_taken)
{
	uint64_t best = 0;

	for (unsigned i = 0; i < map->nr; i++) {
		uint64_t found = 0;

		if (map->regions[i].kind == PVH_MEMORY_USABLE)
			found = highest_in(map->regions[i], bytes, align, ceiling, taken, nr_taken);
		if (found > best)
			best = found;
	}
	return best;
}

static void insert(struct memory_map *map, unsigned at, uint64_t base, uint64_t end, uint32_t kind)
{
	if (base == end)
		return;
	memmove(&map->regions[at + 1], &map->regions[at], (map->nr - at) * sizeof(map->regions[0]));
	map->regions[at] = (struct pvh_region){.base = base, .bytes = end - base, .kind = kind};
	map->nr++;
}

bool map_reserve(struct memory_map *map, struct range range)
{
	uint64_t end = range.base + range.bytes;

	for (unsigned i = 0; i < map->nr; i++) {
		struct pvh_region old = map->regions[i];

		if (!inside(range, old))
			continue;
		if (map->nr + 2 > MAP_REGIONS)
			return false;
		memmove(&map->regions[i], &map->regions[i + 1], (map->nr - i - 1) * sizeof(old));
		map->nr--;
		insert(map, i, end, old.base + old.bytes, PVH_MEMORY_USABLE);
		insert(map, i, range.base, end, PVH_MEMORY_UNUSABLE);
		insert(map, i, old.base, range.base, PVH_MEMORY_USABLE);
		return true;
	}
	return false;
}
