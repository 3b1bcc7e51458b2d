/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches and TLBs of a simulated core, which the visor reports by CPUID. Facts, no code. */
#ifndef ABI_CORE_GEOMETRY_H
#define ABI_CORE_GEOMETRY_H

#include <stdint.h>

enum core_cache_type { CORE_CACHE_NONE, CORE_CACHE_DATA, CORE_CACHE_CODE, CORE_CACHE_UNIFIED };

struct core_cache {
	uint32_t bytes;
	uint16_t ways;
	uint8_t level, type; /* enum core_cache_type */
	uint8_t shared;      /* by all processors */
	uint8_t inclusive;
	uint8_t pad[2];
};

enum core_tlb {
	CORE_ITLB_4K,
	CORE_ITLB_2M,
	CORE_DTLB_4K,
	CORE_DTLB_2M,
	CORE_ITLB2_4K, /* second level: of instructions, of data; equal where one serves both */
	CORE_ITLB2_2M,
	CORE_DTLB2_4K,
	CORE_DTLB2_2M,
	CORE_TLBS,
};

#define CORE_CACHES 4

struct core_geometry {
	uint32_t processors; /* of the machine: what shared caches are shared by */
	struct core_cache caches[CORE_CACHES]; /* of type CORE_CACHE_NONE from the last on */
	struct {
		uint16_t entries, ways;
	} tlbs[CORE_TLBS];
};

#endif
