/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's memory map, and allocations from it. */
#ifndef VISOR_MEMORY_MAP_H
#define VISOR_MEMORY_MAP_H

#include <stdbool.h>

#include "abi/pvh.h"

#define MAP_REGIONS 128

struct memory_map {
	unsigned nr;
	struct pvh_region regions[MAP_REGIONS];
};

struct range {
	uint64_t base, bytes;
};

/* True if all of `range` is usable. */
bool map_usable(const struct memory_map *map, struct range range);
/* Returns the highest usable address below `ceiling` for `bytes` bytes, aligned to `align` (a power
 * of 2), clear of `taken`; 0: none. */
uint64_t map_find_high(const struct memory_map *map, uint64_t bytes, uint64_t align,
		       uint64_t ceiling, const struct range *taken, unsigned nr_taken);
/* Marks `range`, which must be inside one usable region, as reserved. False: the map is full. */
bool map_reserve(struct memory_map *map, struct range range);
bool ranges_overlap(struct range a, struct range b);

#endif
