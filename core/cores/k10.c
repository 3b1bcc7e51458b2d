/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD family 10h (Phenom II X4, 2009). Sources: AMD Software Optimization Guide for family 10h and
 * 12h, 40546 (caches, 3 cycles of L1D, exclusive L2 and L3, TLBs, return stack of 24, 512 indirect
 * targets); CPUID leaves 80000005H and 80000006H; Agner Fog, microarchitecture.pdf, "K8 and K10".
 */
#include "core/cores.h"

const struct core_config core_k10 = {
    .name = "k10",
    .shows = "AMD Phenom II X4 (family 10h, 2009)",
    .memory = {.l1i = {64 << 10, 2, 3, REPLACE_LRU, 0},
	       .l1d = {64 << 10, 2, 3, REPLACE_LRU, 0},
	       .l2 = {512 << 10, 16, 15, REPLACE_PLRU, EXCLUSIVE},
	       .l3 = {6 << 20, 48, 55, REPLACE_PLRU, EXCLUSIVE},
	       .memory_latency = 190,
	       .hitm_latency = 90,
	       .memory_gap = 18,
	       .fill_buffers = 8,
	       .split_penalty = 3,
	       .prefetchers = PREFETCH_STREAMER | PREFETCH_STRIDE,
	       .streamer_ahead = 6,
	       .itlb = {.page_4k = {32, 32}, .page_2m = {16, 16}},
	       .dtlb = {.page_4k = {48, 48}, .unified = true},
	       .stlb = {.page_4k = {512, 4}, .page_2m = {128, 2}, .page_1g = {16, 8}},
	       .code_stlb = {.page_4k = {512, 4}},
	       .stlb_latency = 5,
	       .walk_overhead = 6,
	       .pde_entries = 24},
    .branch = {.kind = PREDICTOR_GSHARE,
	       .direction_log2 = 14,
	       .history = 12,
	       .btb_entries = 2048,
	       .btb_ways = 4,
	       .indirect_log2 = 9,
	       .return_stack = 24},
};
