/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bodies of helpers are written with. */
#ifndef BPF_HELPER_BODY_H
#define BPF_HELPER_BODY_H

#include "bpf/helpers.h"
#include "pmu/core/event.h"

/* A helper's head: run is the program's run, a[] are its registers R1 to R5. */
#define HELPER(name)  uint64_t help_##name(struct run *run, const uint64_t a[5])
#define ERROR(number) ((uint64_t)(-(int64_t)(number)))

/* A pointer that is none is a mistake of the program's: its run ends. */
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

/* Helpers when their arguments are known to be what they must be: what R0 becomes. Context: any.
 *
 * An element of a map with values, a pointer to it; `number`: of the map, of the run. */
uint64_t helper_lookup(struct bpf_map *map, uint64_t number, const void *key);
/* Updates a map that programs may write to. */
uint64_t helper_update(struct bpf_map *map, const void *key, const void *value, uint64_t flags);
/* Outputs a sample to a map of perf events. */
uint64_t helper_output(struct run *run, struct bpf_map *map, uint64_t flags,
		       const struct raw_data *data);

/* A pointer to an array's element, 0: there is none. */
static inline uint64_t array_pointer(const struct bpf_map *map, uint64_t number, const void *key)
{
	uint32_t element;

	__builtin_memcpy(&element, key, sizeof(element));
	if (element >= map->max_entries)
		return 0;
	return run_pointer(REGION_MAPS + (uint32_t)number, 0) + (uint64_t)element * map->stride;
}

/* Reads from wherever the address leads: ring 3, the kernel, or memory of the program's own: how
 * many bytes there were, of its own all or none. Context: any. */
size_t helper_peek(struct run *run, void *to, uint64_t from, size_t bytes, bool user);

#endif
