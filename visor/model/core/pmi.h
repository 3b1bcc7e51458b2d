/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs on their way from a counter that wrapped to the processor. */
#ifndef VISOR_MODEL_PMI_H
#define VISOR_MODEL_PMI_H

#include "visor/model/core/model_state.h"

/* Counter `slot` wrapped `ago` instructions before now: its PMI arrives model->pmi_delay
 * instructions behind that. Of two from one counter that are on their way only the first arrives.
 */
void pmi_send(struct model *model, unsigned slot, uint64_t ago);
/* So many instructions went by. */
void pmi_advance(struct model *model, uint64_t instructions);
/* Instructions until the next one arrives; MODEL_NEVER: none is on its way. */
uint64_t pmi_until_next(const struct model *model);

#endif
