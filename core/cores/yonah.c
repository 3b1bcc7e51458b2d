/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Yonah (Core Duo, 2006). Sources: Intel Optimization Reference Manual 248966, "Intel Core Duo
 * processors"; CPUID leaf 2 of family 6, model 14; Agner Fog, microarchitecture.pdf, "Pentium M".
 */
#include "core/cores.h"

const struct core_config core_yonah = {
    .name = "yonah",
    .shows = "Intel Core Duo (2006)",
    .memory = {.l1i = {32 << 10, 8, 3, REPLACE_PLRU, 0},
	       .l1d = {32 << 10, 8, 3, REPLACE_PLRU, 0},
	       .l2 = {2 << 20, 8, 14, REPLACE_PLRU, NON_INCLUSIVE},
	       .memory_latency = 180,
	       .hitm_latency = 40,
	       .memory_gap = 28,
	       .fill_buffers = 8,
	       .split_penalty = 12,
	       .prefetchers = PREFETCH_STREAMER | PREFETCH_ADJACENT,
	       .streamer_ahead = 4,
	       .itlb = {.page_4k = {128, 4}, .page_2m = {2, 2}},
	       .dtlb = {.page_4k = {128, 4}, .page_2m = {8, 4}},
	       .stlb_latency = 0,
	       .walk_overhead = 6,
	       .pde_entries = 8},
    .branch = {.kind = PREDICTOR_GSHARE,
	       .direction_log2 = 12,
	       .history = 8,
	       .btb_entries = 2048,
	       .btb_ways = 4,
	       .indirect_log2 = 8,
	       .return_stack = 16},
};
