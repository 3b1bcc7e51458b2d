/* SPDX-License-Identifier: BSD-2-Clause */
/* When a block's accesses to memory begin: after the loads and registers that give their addresses.
 * Private to the pipeline. */
#ifndef CORE_PIPE_ORIGINS_H
#define CORE_PIPE_ORIGINS_H

#include "emulator/sim/pipeline/segment.h"

#define ORIGINS      2
#define ORIGIN_LOAD  0x100 /* and the load's place; below: a register at the block's begin */
#define ORIGIN_NONE  UINT16_MAX
#define ORIGIN_DEPTH 8 /* loads that hit, between a begin and what is known */

/* A register, or what an earlier load of the block gives, and how much later the address is
 * there. */
struct origin {
	uint16_t from, delay;
};

/* Of one access: it issues so many cycles after the block's begin, and begins after the
 * origins. */
struct block_begin {
	uint16_t cycle;
	struct origin origin[ORIGINS];
};

/* Fills in block->begins, one of each access, when places and segments are known. */
void find_begins(const struct core_config *config, struct block *block);

#endif
