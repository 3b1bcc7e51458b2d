/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nehalem (Core i7-9xx, 2008). Sources: Intel Optimization Reference Manual 248966, "Nehalem
 * microarchitecture" (caches 4, 10, 35 to 40 cycles; STLB of 512 entries, 7 cycles; 10 fill
 * buffers); CPUID leaves 2 and 4 of family 6, model 26; Agner Fog, microarchitecture.pdf.
 */
#include "core/cores.h"

const struct core_config core_nehalem = {
    .name = "nehalem",
    .shows = "Intel Core i7-9xx (Nehalem, 2008)",
    .memory = {.l1i = {32 << 10, 4, 4, REPLACE_PLRU, 0},
	       .l1d = {32 << 10, 8, 4, REPLACE_PLRU, 0},
	       .l2 = {256 << 10, 8, 10, REPLACE_PLRU, NON_INCLUSIVE},
	       .l3 = {8 << 20, 16, 38, REPLACE_PLRU, INCLUSIVE},
	       .memory_latency = 195,
	       .hitm_latency = 75,
	       .memory_gap = 16,
	       .fill_buffers = 10,
	       .split_penalty = 5,
	       .prefetchers = PREFETCH_MSR,
	       .streamer_ahead = 12,
	       .itlb = {.page_4k = {128, 4}, .page_2m = {14, 14}},
	       .dtlb = {.page_4k = {64, 4}, .page_2m = {32, 4}},
	       .stlb = {.page_4k = {512, 4}},
	       .stlb_latency = 7,
	       .walk_overhead = 6,
	       .pde_entries = 32},
    .branch = {.kind = PREDICTOR_TAGE,
	       .direction_log2 = 12,
	       .history = 24,
	       .tables = 3,
	       .tagged_log2 = 9,
	       .btb_entries = 4096,
	       .btb_ways = 4,
	       .indirect_log2 = 9,
	       .return_stack = 16},
};
