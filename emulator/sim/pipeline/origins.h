/* SPDX-License-Identifier: BSD-2-Clause */
/* The start times of a block's memory accesses: after the loads and registers of their addresses.
 * Private to the pipeline. */
#ifndef CORE_PIPE_ORIGINS_H
#define CORE_PIPE_ORIGINS_H

#include "emulator/sim/pipeline/memo/segment.h"

#define ORIGINS     2
#define ORIGIN_LOAD 0x100 /* and the load's place; below: a register at the block's begin */
#define ORIGIN_NONE UINT16_MAX
/* maximum chain of loads that hit, from an access back to a known register */
#define ORIGIN_DEPTH 8

/* A register, or the result of an earlier load of the block, and the delay from it to the
 * address. */
struct origin {
	uint16_t from, delay;
};

/* The schedule of one access: cycles from the block's start to its issue, and its origins. */
struct block_begin {
	uint16_t cycle;
	struct origin origin[ORIGINS];
};

/* Fills in block->begins, one for each access, once positions and segments are known. */
void find_begins(const struct core_config *config, struct block *block);

#endif
