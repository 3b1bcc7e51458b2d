/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Zen 2 (Ryzen 7 3800X, 2019). Sources: AMD Software Optimization Guide for family 17h models 30h
 * and greater, 56305 (caches, TLBs, BTB of 512 and 7,168, 1,024 indirect targets, return stack of
 * 31); 7-cpu.com, Zen 2 (L2 12, L3 39 cycles, memory 38 cycles and 66 ns at 4.2 GHz).
 */
#include "core/cores.h"

const struct core_config core_zen2 = {
    .name = "zen2",
    .shows = "AMD Ryzen 7 3800X (Zen 2, 2019)",
    .memory = {.l1i = {32 << 10, 8, 4, REPLACE_PLRU, 0},
	       .l1d = {32 << 10, 8, 4, REPLACE_PLRU, 0},
	       .l2 = {512 << 10, 8, 12, REPLACE_PLRU, INCLUSIVE},
	       .l3 = {16 << 20, 16, 39, REPLACE_PLRU, EXCLUSIVE},
	       .memory_latency = 315,
	       .hitm_latency = 90,
	       .memory_gap = 12,
	       .fill_buffers = 22,
	       .split_penalty = 3,
	       .prefetchers = PREFETCH_STREAMER | PREFETCH_NEXT | PREFETCH_STRIDE | PREFETCH_CODE,
	       .streamer_ahead = 12,
	       .itlb = {.page_4k = {64, 64}, .unified = true},
	       .dtlb = {.page_4k = {64, 64}, .unified = true},
	       .stlb = {.page_4k = {2048, 16}, .unified = true},
	       .code_stlb = {.page_4k = {512, 8}, .unified = true},
	       .stlb_latency = 7,
	       .walk_overhead = 6,
	       .pde_entries = 64},
    .branch = {.kind = PREDICTOR_TAGE,
	       .direction_log2 = 13,
	       .history = 110,
	       .tables = 5,
	       .tagged_log2 = 10,
	       .btb_entries = 7168,
	       .btb_ways = 7,
	       .indirect_log2 = 10,
	       .return_stack = 31},
};
