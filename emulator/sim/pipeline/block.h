/* SPDX-License-Identifier: BSD-2-Clause */
/* A block of instructions in the simulated pipeline, built once, when QEMU translates it. */
#ifndef CORE_PIPE_BLOCK_H
#define CORE_PIPE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/sim/config/config.h"
#include "emulator/sim/decode/decode.h"
#include "emulator/sim/memory/memory.h"

#define BLOCK_ADDS      40  /* a multiple of 4, no less than PIPE_FIXED_COUNTS */
#define BLOCK_INSNS_MAX 512 /* QEMU's limit of a translation block */

struct insn_bytes {
	uint64_t address;
	const uint8_t *bytes;
	uint8_t length;
};

struct segment;
struct block_begin;

/* Counts, and the same four at a time. */
typedef uint32_t block_four __attribute__((vector_size(16)));
union block_adds {
	uint32_t each[BLOCK_ADDS];
	block_four four[BLOCK_ADDS / 4];
};

/* Marks instructions without such a memory access. */
#define NO_PLACE UINT16_MAX

/* Indices, in the block's accesses, of an instruction's first load and first store. */
struct block_places {
	uint16_t load, store;
};

/* Properties of the instructions alone. Constant once made (except `seen`), and shared by all
 * processors. */
struct block {
	uint64_t address;
	uint64_t last;   /* of its last instruction */
	uint64_t end;    /* of the instruction after it: where a branch that is not taken goes */
	uint64_t target; /* of a direct branch at its end; 0 without one */
	uint16_t insns;
	uint8_t branch;    /* of its last instruction: enum branch_class, BRANCH_NONE, BRANCH_FAR */
	bool repeats;      /* its last instruction is a repeated string instruction */
	bool special;      /* it repeats, or one of the next three fields is set */
	uint8_t upper;     /* enum upper_halves: after it */
	uint8_t direction; /* enum direction: after it */
	struct block *blending; /* with upper halves that may not be zero; NULL: it is the same */
	uint8_t repeat_bytes;   /* that one round of it takes or gives */
	uint8_t repeat_cycles;  /* of a round that does not go by bytes, or 0 */
	uint16_t slots;         /* of the front end: micro-operations, fused ones once */
	uint16_t taken_bubble;  /* slots lost when its branch is taken */
	uint16_t
	    decode_bubble; /* slots lost in the decoders, without a cache of micro-operations */
	uint16_t segment_count;
	union block_adds adds;       /* by enum pipe_count: what each execution adds */
	struct segment *segments;    /* pipeline's: runs that are scheduled as one */
	struct block_places *places; /* by instruction */
	uint16_t *store_numbers;     /* by access: which of the block's stores it is */
	uint32_t *names;             /* by access: what renaming knows it by, or 0 */
	uint8_t *sizes;              /* by access: bytes; 0: pieces come alone */
	uint32_t *store_names;       /* as `names`, by store */
	struct block_begin *begins;  /* by access: when it begins */
	uint32_t seen;               /* how often it was scheduled: new blocks are not remembered */
};

/*
 * Builds a block of n (1 to BLOCK_INSNS_MAX) consecutive instructions; only the last may be a
 * branch on which the block's end depends. Keeps no reference to the bytes. Returns NULL if there
 * is no memory, or if n is out of range. Any thread.
 */
struct block *block_new(const struct core_config *config, const struct insn_bytes *insns,
			unsigned n);
/* Frees it; no pipeline may use it afterwards. NULL: does nothing. */
void block_free(struct block *block);

/* Returns the index of the instruction's store among the block's; NO_PLACE: none. block: may be
 * NULL. */
uint16_t block_store_number(const struct block *block, unsigned insn);

/* A memory access of an instruction in the running block. */
struct block_access {
	uint64_t vaddr;
	unsigned insn; /* which of the block's, from 0 */
	unsigned size; /* bytes */
	bool store;
	bool later;     /* its instruction has made accesses in this run of the block */
	uint64_t begin; /* cycle, by pipeline_begin(); unused when it is a plain hit */
	const struct access_result *result;
};

/* Events of one execution of the block. */
struct block_events {
	unsigned executed; /* instructions that retired: all, or fewer when a fault left it early */
	uint8_t outcome;   /* of its branch: enum branch_outcome */
	uint32_t fetch_cycles; /* of its instructions' misses in L1I and ITLB, beyond a hit's */
};

#endif
