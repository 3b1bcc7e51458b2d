/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of a core count for themselves, as quantities. */
#ifndef CORE_SETTLE_H
#define CORE_SETTLE_H

#include <stdbool.h>

#include "abi/core_quantities.h"
#include "core/mem/memory.h"

/* What was settled already. */
struct settled {
	struct memory_counts memory;
};

/* Adds what the parts have counted since the last call to `totals` (by enum core_quantity). */
void settle(struct settled *settled, struct memory *memory, uint64_t *totals);
/* Whether only settle() knows this quantity. */
bool settles(unsigned quantity);

#endif
