/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's instruction-based sampling, as the visor drives it. */
#ifndef VISOR_MODEL_IBS_H
#define VISOR_MODEL_IBS_H

#include "emulator/visor/model/base/types.h"

/* True if the personality has AMD's instruction-based sampling. */
bool model_has_ibs(const struct model *model);
/* A counter of it has expired: the next instruction must run alone, so that it is known. */
bool model_ibs_waits(const struct model *model);
/* True if the work of the last model_retire() contains the tagged instruction: the caller must call
 * model_ibs_record(). */
bool model_ibs_ready(const struct model *model);
/* It did not run alone: tags the next one. */
void model_ibs_put_off(struct model *model);
void model_ibs_record(struct model *model, const struct model_ibs_source *source);
/* True once for each sample: it interrupts through entry *lvt of the extended local vector
 * table. */
bool model_take_ibs(struct model *model, unsigned *lvt);

#endif
