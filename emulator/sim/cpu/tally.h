/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of blocks that ran to their end. */
#ifndef CORE_TALLY_H
#define CORE_TALLY_H

#include "abi/core_quantities.h"
#include "emulator/sim/cpu/code.h"

/* Adds n runs of the block to totals (by enum core_quantity). outcome: enum code_outcome. */
void tally_add(uint64_t *totals, const struct code_block *block, unsigned outcome, uint64_t n);

/* Returns the maximum increase of a quantity by one block. */
unsigned tally_most(unsigned quantity);

#endif
