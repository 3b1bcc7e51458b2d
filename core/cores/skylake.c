/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skylake client (Core i7-6700, 2015). Sources: Intel Optimization Reference Manual 248966,
 * "Skylake client microarchitecture" (table of caches: 4, 12, 44 cycles; table of TLBs; 12 fill
 * buffers); 7-cpu.com, Skylake (L3 42 cycles, memory 42 cycles and 51 ns at 4 GHz, STLB 9 cycles
 * in place of 7); Abel and Reineke, nanoBench (replacement: L1D a tree).
 */
#include "core/cores.h"

const struct core_config core_skylake = {
    .name = "skylake",
    .shows = "Intel Core i7-6700 (Skylake client, 2015)",
    .memory = {.l1i = {32 << 10, 8, 4, REPLACE_PLRU, 0},
	       .l1d = {32 << 10, 8, 4, REPLACE_PLRU, 0},
	       .l2 = {256 << 10, 4, 12, REPLACE_PLRU, NON_INCLUSIVE},
	       .l3 = {8 << 20, 16, 42, REPLACE_PLRU, INCLUSIVE},
	       .memory_latency = 246,
	       .hitm_latency = 84,
	       .memory_gap = 14,
	       .fill_buffers = 12,
	       .split_penalty = 5,
	       .prefetchers = PREFETCH_MSR | PREFETCH_CODE,
	       .streamer_ahead = 20,
	       .itlb = {.page_4k = {128, 8}, .page_2m = {16, 16}},
	       .dtlb = {.page_4k = {64, 4}, .page_2m = {32, 4}, .page_1g = {4, 4}},
	       .stlb = {.page_4k = {1536, 12}, .page_1g = {16, 4}, .unified = true},
	       .stlb_latency = 9,
	       .walk_overhead = 5,
	       .pde_entries = 32},
    .branch = {.kind = PREDICTOR_TAGE,
	       .direction_log2 = 13,
	       .history = 93,
	       .tables = 5,
	       .tagged_log2 = 10,
	       .btb_entries = 4096,
	       .btb_ways = 4,
	       .indirect_log2 = 10,
	       .return_stack = 16},
};
