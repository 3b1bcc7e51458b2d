/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Golden Cove as in Core i9-12900K (2021). Sources: Intel Optimization Reference Manual 248966,
 * "Golden Cove microarchitecture" (L1D 48 KiB, 5 cycles; 16 fill buffers; DTLB of 96, STLB of 2,048
 * entries; BTB of 12K); Chips and Cheese, "Popping the hood on Golden Cove" (L2 15, L3 68 cycles,
 * return stack 24); CPUID leaves 4 and 18H of family 6, model 151.
 */
#include "core/cores.h"

const struct core_config core_golden_cove = {
    .name = "golden-cove",
    .shows = "Intel Core i9-12900K, performance core (Golden Cove, 2021)",
    .memory = {.l1i = {32 << 10, 8, 5, REPLACE_PLRU, 0},
	       .l1d = {48 << 10, 12, 5, REPLACE_PLRU, 0},
	       .l2 = {1280 << 10, 10, 15, REPLACE_PLRU, NON_INCLUSIVE},
	       .l3 = {30 << 20, 12, 68, REPLACE_PLRU, NON_INCLUSIVE},
	       .memory_latency = 420,
	       .hitm_latency = 130,
	       .memory_gap = 12,
	       .fill_buffers = 16,
	       .split_penalty = 5,
	       .prefetchers = PREFETCH_MSR | PREFETCH_CODE,
	       .streamer_ahead = 20,
	       .itlb = {.page_4k = {256, 8}, .page_2m = {32, 8}},
	       .dtlb = {.page_4k = {96, 6}, .page_2m = {32, 8}, .page_1g = {8, 8}},
	       .stlb = {.page_4k = {2048, 16}, .page_1g = {1024, 8}, .unified = true},
	       .stlb_latency = 7,
	       .walk_overhead = 5,
	       .pde_entries = 64},
    .branch = {.kind = PREDICTOR_TAGE,
	       .direction_log2 = 14,
	       .history = 128,
	       .tables = 6,
	       .tagged_log2 = 11,
	       .btb_entries = 12288,
	       .btb_ways = 6,
	       .indirect_log2 = 11,
	       .return_stack = 24},
};
