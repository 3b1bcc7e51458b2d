/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What valgrind --tool=cachegrind simulates with --I1=32768,8,64 --D1=32768,8,64
 * --LL=8388608,16,64: two levels addressed by virtual addresses, LRU, nothing else; to compare
 * counts with it. Source: Valgrind User Manual, 5.8 "How Cachegrind Works". Its branch predictor is
 * another one.
 * Pipeline: one instruction a cycle; cachegrind has none.
 */
#include "core/cores/cores.h"

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
    .pipe = {.width = 1,
	     .rob = 16,
	     .scheduler = 16,
	     .load_buffer = 16,
	     .store_buffer = 16,
	     .uop_cache_width = 1,
	     .decode_width = 1,
	     .fetch_bytes = 16,
	     .mispredict = 10,
	     .forward_latency = 4,
	     .forward_blocked = 10,
	     .vector_bytes = 32,
	     .lock_latency = 20,
	     .interrupt_latency = 100,
	     .fusion = FUSE_NONE,
	     .micro_fusion = true,
	     .memory_fusion = true,
	     .zero_idioms = true,
	     .nominal = 100,
	     .ports = {[UNIT_ALU] = 0x1,         [UNIT_SHIFT] = 0x1,  [UNIT_LEA] = 0x1,
		       [UNIT_MUL] = 0x1,         [UNIT_DIV] = 0x1,    [UNIT_JCC] = 0x1,
		       [UNIT_JUMP] = 0x1,        [UNIT_LOAD] = 0x2,   [UNIT_STORE_ADDRESS] = 0x4,
		       [UNIT_STORE_DATA] = 0x8,  [UNIT_VLOGIC] = 0x1, [UNIT_VINT] = 0x1,
		       [UNIT_VSAT] = 0x1,        [UNIT_VSHIFT] = 0x1, [UNIT_VMUL] = 0x1,
		       [UNIT_SHUFFLE] = 0x1,     [UNIT_FADD] = 0x1,   [UNIT_FMUL] = 0x1,
		       [UNIT_FDIV] = 0x1,        [UNIT_FCVT] = 0x1,   [UNIT_TO_VECTOR] = 0x1,
		       [UNIT_FROM_VECTOR] = 0x1, [UNIT_X87] = 0x1,    [UNIT_CRYPT] = 0x1,
		       [UNIT_CLMUL] = 0x1},
	     .timings = &timings_skylake},
};
