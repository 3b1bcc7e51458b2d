/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the counts of a core's parts to quantities. */
#ifndef CORE_SETTLE_H
#define CORE_SETTLE_H

#include <stdbool.h>

#include "abi/core_quantities.h"
#include "emulator/sim/memory/memory.h"
#include "emulator/sim/pipeline/pipeline.h"

/* The counts that were settled already. */
struct settled {
	struct memory_counts memory;
	uint64_t pipeline[PIPE_COUNTS];
};

/* Add the counts since the last call to `totals` (by enum core_quantity). The pipeline's takes
 * longer: it visits all blocks that ran since. */
void settle_pipeline(struct settled *settled, struct pipeline *pipeline, uint64_t *totals);
/* Discards the pipeline's counts so far. */
void settle_forget_pipeline(struct settled *settled, struct pipeline *pipeline);
void settle_memory(struct settled *settled, struct memory *memory, uint64_t *totals);
/* Returns the maximum increase of one of the memory's quantities by an access that is no plain
 * hit. */
unsigned settles_most(unsigned quantity);
/* True if the quantity is one of the memory's. */
bool settles_memory(unsigned quantity);

#endif
