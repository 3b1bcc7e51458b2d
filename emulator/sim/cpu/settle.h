/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a core count for themselves, as quantities. */
#ifndef CORE_SETTLE_H
#define CORE_SETTLE_H

#include <stdbool.h>

#include "abi/core_quantities.h"
#include "emulator/sim/memory/memory.h"
#include "emulator/sim/pipeline/pipeline.h"

/* What was settled already. */
struct settled {
	struct memory_counts memory;
	uint64_t pipeline[PIPE_COUNTS];
};

/* Add what the parts have counted since the last call to `totals` (by enum core_quantity). The
 * pipeline's takes longer: it goes through all blocks that ran meanwhile. */
void settle_pipeline(struct settled *settled, struct pipeline *pipeline, uint64_t *totals);
/* What the pipeline has counted so far is nobody's. */
void settle_forget_pipeline(struct settled *settled, struct pipeline *pipeline);
void settle_memory(struct settled *settled, struct memory *memory, uint64_t *totals);
/* At most so much of one of the memory's quantities comes of one access that is no plain hit. */
unsigned settles_most(unsigned quantity);
/* Whether the quantity is one of the memory's. */
bool settles_memory(unsigned quantity);

#endif
