/* SPDX-License-Identifier: BSD-2-Clause */
/* PEBS, as the visor drives it. */
#ifndef VISOR_MODEL_PEBS_H
#define VISOR_MODEL_PEBS_H

#include "emulator/visor/model/base/types.h"

/* A PEBS counter has overflowed and waits: the next instruction must run alone, so that it is
 * known, unless model_until_overflow() says otherwise: then a watch of model_watches() ends the
 * run. */
bool model_pebs_waits(const struct model *model);
/* True if the work of the last model_retire() contains the event that a PEBS counter waits for: the
 * caller must call model_pebs_record(). */
bool model_pebs_ready(const struct model *model);
/*
 * Writes the record into the debug store, reloads its counters, and makes a PMI pending if the
 * buffer is filled to its threshold. Writes nothing to memory that is not mapped.
 */
void model_pebs_record(struct model *model, const struct model_pebs_source *source);

#endif
