/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gracemont as in Core i9-12900K (2021); the L2 of a cluster of four counts as one core's. Sources:
 * Intel Optimization Reference Manual 248966, "Gracemont microarchitecture" (L1I 64 KiB, L1D
 * 32 KiB, 3 cycles; L2 17 cycles; BTB of 5K); Chips and Cheese, "Gracemont: Revenge of the Atom
 * Cores" (TLBs, L3, return stack); CPUID leaves 4 and 18H of its core type.
 */
#include "core/cores.h"

const struct core_config core_gracemont = {
    .name = "gracemont",
    .shows = "Intel Core i9-12900K, efficient core (Gracemont, 2021)",
    .memory = {.l1i = {64 << 10, 8, 3, REPLACE_PLRU, 0},
	       .l1d = {32 << 10, 8, 3, REPLACE_PLRU, 0},
	       .l2 = {2 << 20, 16, 17, REPLACE_PLRU, NON_INCLUSIVE},
	       .l3 = {30 << 20, 12, 64, REPLACE_PLRU, NON_INCLUSIVE},
	       .memory_latency = 350,
	       .hitm_latency = 120,
	       .memory_gap = 14,
	       .fill_buffers = 16,
	       .split_penalty = 5,
	       .prefetchers = PREFETCH_MSR | PREFETCH_CODE,
	       .streamer_ahead = 16,
	       .itlb = {.page_4k = {64, 64}},
	       .dtlb = {.page_4k = {32, 32}, .unified = true},
	       .stlb = {.page_4k = {2048, 4}, .unified = true},
	       .stlb_latency = 9,
	       .walk_overhead = 5,
	       .pde_entries = 32},
    .branch = {.kind = PREDICTOR_TAGE,
	       .direction_log2 = 13,
	       .history = 96,
	       .tables = 5,
	       .tagged_log2 = 10,
	       .btb_entries = 5120,
	       .btb_ways = 5,
	       .indirect_log2 = 10,
	       .return_stack = 32},
};
