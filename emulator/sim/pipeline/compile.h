/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates an instruction to micro-operations. Private to the blocks. */
#ifndef CORE_PIPE_COMPILE_H
#define CORE_PIPE_COMPILE_H

#include "emulator/sim/pipeline/memo/segment.h"

/* The micro-operations of one instruction on one core. */
struct compiled {
	struct uop uops[INSN_UOPS_MAX];
	unsigned uop_count;
	unsigned slots;
	unsigned divider; /* cycles that a divider is busy */
	bool microcoded, eliminated;
	/* Its accesses in order; uops[].memory indexes them. */
	bool store[2 * INSN_MEMORY_MAX];
	unsigned memory_count;
};

/* An instruction's context in its block. */
struct neighbours {
	bool fused;      /* the conditional branch after it is joined with it */
	bool short_load; /* the base of its address was loaded just before */
	bool sum;        /* a source of its is the result of an FP addition */
	bool upper;      /* upper halves of the vector registers may not be zero */
};

/* Returns the cycles of a class's result on this core. */
unsigned pipe_latency(const struct pipe_config *pipe, enum insn_class class);

/* Fills in *out, which is zero, with the operation that makes a register of its part and the rest;
 * quick: without time, at a segment's end. */
void compile_merge(const struct core_config *config, uint8_t reg, bool quick, struct compiled *out);

/* Fills in *out, which is zero. */
void compile_insn(const struct core_config *config, const struct insn *insn,
		  struct neighbours neighbours, struct compiled *out);

#endif
