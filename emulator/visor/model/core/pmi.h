/* SPDX-License-Identifier: BSD-2-Clause */
/* PMIs between an overflow and the processor, and freezing if DEBUGCTL enables it, by generation.
 * Intel SDM vol. 3, "Freezing LBR and Performance Counters on PMI"; AMD APM vol. 2, "Performance
 * Monitoring Counters". */
#ifndef VISOR_MODEL_PMI_H
#define VISOR_MODEL_PMI_H

#include "emulator/visor/model/base/model_state.h"

/* Counter `slot` overflowed `ago` instructions before now: its PMI arrives model->pmi_delay
 * instructions after that. If two from one counter are pending only the first arrives. */
void pmi_send(struct model *model, unsigned slot, uint64_t ago);
/* Advances time by `instructions`. */
void pmi_advance(struct model *model, uint64_t instructions);
/* Returns the instructions until the next one arrives; MODEL_NEVER: none is pending. */
uint64_t pmi_until_next(const struct model *model);

/* Intel up to version 3: a PMI clears the enables. */
void freeze_by_enables(struct model *model);
/* Intel from version 4, AMD from version 2: a PMI sets bits of the status. */
void freeze_by_status(struct model *model);

#endif
