/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of a block's stores, from its instructions. Private to the blocks. */
#ifndef CORE_PIPE_STORES_H
#define CORE_PIPE_STORES_H

#include "emulator/sim/pipeline/memo/segment.h"

/* Fills in the block's names, of accesses that memory renaming may equate, and sizes. After its
 * stores are numbered. insns: the block's, decoded. */
void name_accesses(const struct core_config *config, struct block *block, const struct insn *insns);

/* Fills in its segments' drain: the time in L1D of the segment's stores. */
void find_drains(const struct core_config *config, struct block *block, const struct insn *insns);

#endif
