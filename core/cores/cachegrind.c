/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What valgrind --tool=cachegrind simulates with --I1=32768,8,64 --D1=32768,8,64
 * --LL=8388608,16,64: two levels addressed by virtual addresses, LRU, nothing else; to compare
 * counts with it. Source: Valgrind User Manual, 5.8 "How Cachegrind Works". Its branch predictor is
 * another one.
 */
#include "core/cores.h"

const struct core_config core_cachegrind = {
    .name = "cachegrind",
    .shows = "the caches of valgrind --tool=cachegrind, to compare with",
    .memory = {.l1i = {32 << 10, 8, 4, REPLACE_LRU, 0},
	       .l1d = {32 << 10, 8, 4, REPLACE_LRU, 0},
	       .l3 = {8 << 20, 16, 42, REPLACE_LRU, NON_INCLUSIVE},
	       .memory_latency = 246,
	       .hitm_latency = 84,
	       .virtual_index = true},
    .branch = {.kind = PREDICTOR_GSHARE,
	       .direction_log2 = 14,
	       .history = 14,
	       .btb_entries = 512,
	       .btb_ways = 4,
	       .return_stack = 16},
};
