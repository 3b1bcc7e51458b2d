/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros and functions for helpers. */
#ifndef BPF_HELPER_BODY_H
#define BPF_HELPER_BODY_H

#include "bpf/helpers.h"
#include "pmu/base/event.h"

/* A helper's signature: run is the program's run, a[] are its registers R1 to R5. */
#define HELPER(name)  uint64_t help_##name(struct run *run, const uint64_t a[5])
#define ERROR(number) ((uint64_t)(-(int64_t)(number)))

/* An invalid pointer is an error of the program: its run ends. */
#define MEMORY(pointer, bytes, write)                                   \
	({                                                              \
		void *memory_ = run_memory(run, pointer, bytes, write); \
		if (!memory_) {                                         \
			run->failed = true;                             \
			return 0;                                       \
		}                                                       \
		run_spend(run, bytes);                                  \
		memory_;                                                \
	})

/* Helpers with checked arguments; they return the new R0. Context: any.
 *
 * Returns a pointer to the element of a map with values; `number`: of the map, in the run. */
uint64_t helper_lookup(struct bpf_map *map, uint64_t number, const void *key);
/* Updates a map that programs may write to. */
uint64_t helper_update(struct bpf_map *map, const void *key, const void *value, uint64_t flags);
/* Outputs a sample to a map of perf events. */
uint64_t helper_output(struct run *run, struct bpf_map *map, uint64_t flags,
		       const struct raw_data *data);

/* Returns a pointer to an array's element, 0: out of range. */
static inline uint64_t array_pointer(const struct bpf_map *map, uint64_t number, const void *key)
{
	uint32_t element;

	__builtin_memcpy(&element, key, sizeof(element));
	if (element >= map->max_entries)
		return 0;
	return run_pointer(REGION_MAPS + (uint32_t)number, 0) + (uint64_t)element * map->stride;
}

/* Reads memory at any address: ring 3's, the kernel's, or the program's own. Returns the bytes
 * read; of its own memory all or none. Context: any. */
size_t helper_peek(struct run *run, void *to, uint64_t from, size_t bytes, bool user);

#endif
