/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Zen 4 (Ryzen 9 7950X, 2022). Sources: AMD Software Optimization Guide for Zen 4, 57647 (caches,
 * DTLB of 72 and 3,072, ITLB of 64 and 512 entries, BTB of 3K and 14K, 3,072 indirect targets,
 * return stack of 32); Chips and Cheese, "AMD's Zen 4, part 2" (L2 14, L3 50 cycles, memory 75 ns).
 */
#include "core/cores.h"

const struct core_config core_zen4 = {
    .name = "zen4",
    .shows = "AMD Ryzen 9 7950X (Zen 4, 2022)",
    .memory = {.l1i = {32 << 10, 8, 4, REPLACE_PLRU, 0},
	       .l1d = {32 << 10, 8, 4, REPLACE_PLRU, 0},
	       .l2 = {1 << 20, 8, 14, REPLACE_PLRU, INCLUSIVE},
	       .l3 = {32 << 20, 16, 50, REPLACE_PLRU, EXCLUSIVE},
	       .memory_latency = 400,
	       .hitm_latency = 110,
	       .memory_gap = 10,
	       .fill_buffers = 24,
	       .split_penalty = 3,
	       .prefetchers = PREFETCH_STREAMER | PREFETCH_NEXT | PREFETCH_STRIDE | PREFETCH_CODE,
	       .streamer_ahead = 16,
	       .itlb = {.page_4k = {64, 64}, .unified = true},
	       .dtlb = {.page_4k = {72, 72}, .unified = true},
	       .stlb = {.page_4k = {3072, 24}, .unified = true},
	       .code_stlb = {.page_4k = {512, 8}, .unified = true},
	       .stlb_latency = 7,
	       .walk_overhead = 6,
	       .pde_entries = 64},
    .branch = {.kind = PREDICTOR_TAGE,
	       .direction_log2 = 14,
	       .history = 128,
	       .tables = 6,
	       .tagged_log2 = 11,
	       .btb_entries = 14336,
	       .btb_ways = 7,
	       .indirect_log2 = 11,
	       .return_stack = 32},
};
