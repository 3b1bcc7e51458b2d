/* SPDX-License-Identifier: BSD-2-Clause */
/* Sharing of cores, packages and caches between processors: fields of the APIC ID, from CPUID (SDM
 * volume 2, leaves 4 and 0BH; APM volume 3, 8000001DH). */
#ifndef ARCH_X86_TOPOLOGY_H
#define ARCH_X86_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"

/* Levels that processors can share. */
enum topology_level { TOPOLOGY_CORE, TOPOLOGY_PACKAGE };

/* Context of all: any. */

/* Returns the number of the package, of the core, from an APIC ID. */
uint32_t topology_package(uint32_t apic_id);
uint32_t topology_core(uint32_t apic_id);
/* Returns the processors that share the level with `cpu`, including itself, as bits; and their
 * number. */
struct cpu_mask topology_mask(unsigned cpu, enum topology_level level);
unsigned topology_threads(unsigned cpu, enum topology_level level);
/* Returns the number of cores in the package. */
unsigned topology_cores(unsigned cpu);

enum cache_type { CACHE_NONE, CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED };

struct cache {
	enum cache_type type;
	uint32_t level, ways, partitions, line, sets; /* line: bytes */
	uint32_t shift; /* APIC IDs that agree above so many bits share it */
};

/* Returns cache `index` of this processor, in CPUID's order; false if there is none. */
bool topology_cache(unsigned index, struct cache *cache);
/* Returns the processors that share the cache with processor `cpu`. */
struct cpu_mask topology_cache_mask(unsigned cpu, const struct cache *cache);

#endif
