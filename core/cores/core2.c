/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Core 2, 45 nm (Penryn, 2008). Sources: Intel Optimization Reference Manual 248966, "Intel Core
 * microarchitecture" (caches, table of latencies; DTLB0 of 16, DTLB1 of 256 entries); CPUID leaf 2
 * of family 6, model 23; Agner Fog, microarchitecture.pdf, "Core 2 and Nehalem".
 */
#include "core/cores.h"

const struct core_config core_core2 = {
    .name = "core2",
    .shows = "Intel Core 2, 45 nm (Penryn, 2008)",
    .memory = {.l1i = {32 << 10, 8, 3, REPLACE_PLRU, 0},
	       .l1d = {32 << 10, 8, 3, REPLACE_PLRU, 0},
	       .l2 = {6 << 20, 24, 15, REPLACE_PLRU, NON_INCLUSIVE},
	       .memory_latency = 200,
	       .hitm_latency = 45,
	       .memory_gap = 24,
	       .fill_buffers = 8,
	       .split_penalty = 12,
	       .prefetchers = PREFETCH_MSR,
	       .streamer_ahead = 8,
	       .itlb = {.page_4k = {128, 4}, .page_2m = {8, 4}},
	       .dtlb = {.page_4k = {16, 4}, .page_2m = {16, 4}},
	       .stlb = {.page_4k = {256, 4}, .page_2m = {32, 4}},
	       .stlb_latency = 2,
	       .walk_overhead = 6,
	       .pde_entries = 16},
    .branch = {.kind = PREDICTOR_TAGE,
	       .direction_log2 = 12,
	       .history = 16,
	       .tables = 2,
	       .tagged_log2 = 9,
	       .btb_entries = 2048,
	       .btb_ways = 4,
	       .indirect_log2 = 9,
	       .return_stack = 16},
};
