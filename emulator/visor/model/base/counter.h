/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters, shared by the model's files: general ones in slots from 0, fixed ones from
 * MODEL_MAX_GENERAL. */
#ifndef VISOR_MODEL_COUNTER_H
#define VISOR_MODEL_COUNTER_H

#include "emulator/visor/model/base/model_state.h"

/* Returns the largest value of the counter in `slot`. */
uint64_t counter_mask(const struct model *model, unsigned slot);
/* Returns the bit of the counter in `slot` in the GLOBAL registers. */
uint64_t counter_bit(unsigned slot);
/* Implements struct vendor's decode for general counter `index`, with the selection
 * select[index]. */
void counter_decode_general(struct model *model, unsigned index);
/* Decodes the selection of the counter in `slot` after it was written; resets the fraction. */
void counter_select(struct model *model, unsigned slot);
/* Decodes all selections again after a change of their inputs; keeps fractions. */
void counters_decode(struct model *model);

#endif
