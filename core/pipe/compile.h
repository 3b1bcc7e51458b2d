/* SPDX-License-Identifier: BSD-2-Clause */
/* From an instruction to micro-operations. Private to the blocks. */
#ifndef CORE_PIPE_COMPILE_H
#define CORE_PIPE_COMPILE_H

#include "core/pipe/segment.h"

/* The micro-operations of one instruction on one core. */
struct compiled {
	struct uop uops[INSN_UOPS_MAX];
	unsigned uop_count;
	unsigned slots;
	unsigned divider; /* cycles that a divider is busy */
	bool microcoded, eliminated;
	/* Its accesses in the order in which they happen; uops[].memory counts these. */
	bool store[2 * INSN_MEMORY_MAX];
	unsigned memory_count;
};

/*
 * Fills in *out, which is zero. fused: the conditional branch after it is joined with it.
 * short_load: the base of its address was loaded just before.
 */
void compile_insn(const struct core_config *config, const struct insn *insn, bool fused,
		  bool short_load, struct compiled *out);

#endif
