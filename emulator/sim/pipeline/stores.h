/* SPDX-License-Identifier: BSD-2-Clause */
/* What a block's instructions tell of its stores. Private to the blocks. */
#ifndef CORE_PIPE_STORES_H
#define CORE_PIPE_STORES_H

#include "emulator/sim/pipeline/segment.h"

/* Fills in the block's names: of accesses that renaming may take for one another. After its stores
 * have their numbers. insns: the block's, decoded. */
void name_accesses(const struct core_config *config, struct block *block, const struct insn *insns);

/* Fills in its segments' drain: what L1D needs for the segment's stores. */
void find_drains(const struct core_config *config, struct block *block, const struct insn *insns);

#endif
