/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers that call a function of the program repeatedly: a number of times, or for each
 * element. */
#include <linux/errno.h>
#include "bpf/helper_body.h"

#define LOOPS_MAX (1u << 23)

/* True if the pointer is to a function. */
static bool is_function(uint64_t pointer)
{
	return pointer >> 48 == POINTER_TAG && (pointer >> REGION_SHIFT & 0xffff) == REGION_CODE;
}

HELPER(loop)
{
	uint32_t i = 0;

	if (a[3])
		return ERROR(EINVAL);
	if (a[0] > LOOPS_MAX)
		return ERROR(E2BIG);
	if (!is_function(a[1])) {
		run->failed = true;
		return 0;
	}
	while (i < a[0]) {
		uint64_t stop = run_function(run, (uint32_t)a[1], (const uint64_t[4]){i++, a[2]});

		if (stop || run->failed)
			break;
	}
	return i;
}

/* Calls the function with the map, pointers to the key and the value, and the caller's argument;
 * returns its result. */
static uint64_t call_with(struct run *run, const uint64_t a[5], struct bpf_map *map,
			  uint32_t element, const void *key)
{
	const void *outer = run->key;
	uint32_t outer_bytes = run->key_bytes;
	uint64_t value = run_pointer(REGION_MAPS + (uint32_t)run_map_number(a[0]),
				     (uint32_t)(map_value_here(map, element) - map->values));
	uint64_t stop;

	run->key = key;
	run->key_bytes = map->key_size;
	stop = run_function(run, (uint32_t)a[1],
			    (const uint64_t[4]){a[0], run_pointer(REGION_KEY, 0), value, a[2]});
	run->key = outer;
	run->key_bytes = outer_bytes;
	return stop;
}

HELPER(for_each_map_elem)
{
	struct bpf_map *map = run_map(run, a[0]);
	uint64_t visited = 0;

	if (!map || !map->kind->in_values || !is_function(a[1])) {
		run->failed = true;
		return 0;
	}
	if (a[3])
		return (uint32_t)ERROR(EINVAL); /* Linux's is an int there */
	for (uint32_t i = 0; i < map->max_entries && !run->failed; i++) {
		const void *key = map->kind->key_of ? map->kind->key_of(map, i) : &i;

		run_spend(run, 4);
		if (!key)
			continue;
		visited++;
		if (call_with(run, a, map, i, key))
			break;
	}
	return visited;
}
