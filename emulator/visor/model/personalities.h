/* SPDX-License-Identifier: BSD-2-Clause */
/* The processors that the model can be. */
#ifndef VISOR_MODEL_PERSONALITIES_H
#define VISOR_MODEL_PERSONALITIES_H

#include "emulator/visor/model/base/types.h"

/* The personality of that name ("none", "skylake") or former name ("intel-v4"), or NULL. */
const struct personality *personality_find(const char *name);
/* Returns the personalities in order: number `index` from 0, NULL after the last. */
const struct personality *personality_at(unsigned index);
/* Returns the personality of processor `index` of `nr`: on a hybrid machine the first half, rounded
 * up, is performance cores, as on real ones, the rest efficient cores. */
const struct personality *personality_of_processor(const struct personality *personality,
						   unsigned index, unsigned nr);
/* Returns its name, at most 15 characters and NUL, in an array of 16 zero-padded bytes. */
const char *personality_name(const struct personality *personality);
/* How many last branch records it keeps; 0: none. */
unsigned personality_branch_records(const struct personality *personality);
/* The format of its PEBS records; -1: it has none. */
int personality_pebs(const struct personality *personality);
/* The microcode's revision, where software asks for one; 0: any. */
uint32_t personality_microcode(const struct personality *personality);

#endif
