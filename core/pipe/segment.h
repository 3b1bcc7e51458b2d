/* SPDX-License-Identifier: BSD-2-Clause */
/* Micro-operations and the segments of blocks that the pipeline schedules as one. Private to it. */
#ifndef CORE_PIPE_SEGMENT_H
#define CORE_PIPE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/block.h"
#include "core/pipe/decode.h"

/* What the pipeline keeps a time of, beside enum pipe_register. Those below STATE_WORDS live on. */
enum state_word {
	STATE_DIV = REG_MISC + 1, /* when the divider of integers is free */
	STATE_FDIV,               /* the same of floating point */
	STATE_RETIRE,             /* when all so far have retired */
	STATE_FENCE,              /* loads and stores begin no earlier */
	STATE_DRAIN,              /* when the store buffer is empty */
	STATE_SLOT,               /* no time: slots of the present cycle that are filled */
	STATE_WORDS = 56,
	REG_ZERO = STATE_WORDS, /* always ready */
	REG_LOADED,             /* what this instruction's loads gave, first and second */
	REG_LOADED_2,
	REG_RESULT, /* what it stores */
	REG_JOINED, /* several sources in one */
	REG_SINK,   /* nobody reads it */
	SCHEDULE_WORDS,
};

#define UOP_SOURCES 4
#define UOP_RESULTS 4

enum uop_kind {
	UOP_NONE, /* takes no port; its results are there with its sources */
	UOP_EXECUTE,
	UOP_LOAD,
	UOP_STORE_ADDRESS,
	UOP_STORE_DATA,
	UOP_SERIALISE, /* waits until all before have retired; what is behind issues afterwards */
};

struct uop {
	uint16_t latency;
	uint8_t kind;
	uint8_t source[UOP_SOURCES], result[UOP_RESULTS];
	uint16_t ports; /* bit n: port n can do it */
	uint32_t order; /* its ports, the least demanded first, four bits each */
	uint16_t slot;  /* slots of the segment before it */
	uint8_t memory; /* of loads and stores: which of the segment's */
	uint8_t unit;   /* STATE_DIV, STATE_FDIV or REG_SINK */
	uint8_t busy;   /* cycles that it keeps the unit */
	bool branch;    /* the block's branch is decided by it */
	bool fence;     /* what follows in memory waits for it */
};

#define SEGMENT_UOPS_MAX   48 /* the last instruction may go beyond SEGMENT_UOPS */
#define SEGMENT_UOPS       20
#define SEGMENT_MEMORY_MAX 16
#define SEGMENT_MEMORY     12
#define INSN_UOPS_MAX      (SEGMENT_UOPS_MAX - SEGMENT_UOPS)

struct segment_memory {
	uint16_t insn; /* of the block's */
	bool store;
	uint8_t number; /* of the segment's stores */
};

/* What every execution adds. */
struct segment_counts {
	uint16_t slots, heavy_slots, microcode_slots;
	uint16_t fused_branches, moves_eliminated, divider;
	uint16_t loads, stores, locked; /* instructions */
	uint16_t fp[FP_WIDTHS];
};

struct segment {
	struct uop *uops;
	uint32_t serial;            /* no other segment of this process has it */
	uint16_t uop_count, ported; /* ported: those that take a port */
	uint16_t slots;
	uint16_t first_insn, insns;
	uint16_t loads, stores; /* entries of the buffers */
	uint16_t memory_count;
	struct segment_memory memory[SEGMENT_MEMORY_MAX];
	struct segment_counts counts;
};

#endif
