/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters as the model's files share them: general ones in slots from 0, fixed ones from
 * MODEL_MAX_GENERAL. */
#ifndef VISOR_MODEL_COUNTER_H
#define VISOR_MODEL_COUNTER_H

#include "emulator/visor/model/core/model_state.h"

/* The largest value of the counter in `slot`. */
uint64_t counter_mask(const struct model *model, unsigned slot);
/* The bit of the counter in `slot` in the GLOBAL registers. */
uint64_t counter_bit(unsigned slot);
/* struct vendor's decode for general counter `index`, whose selection is select[index]. */
void counter_decode_general(struct model *model, unsigned index);
/* Decodes the selection of the counter in `slot` after it was written; the fraction starts anew. */
void counter_select(struct model *model, unsigned slot);
/* Decodes all selections again after something that they depend on changed; fractions stay. */
void counters_decode(struct model *model);

#endif
