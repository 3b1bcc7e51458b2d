/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's instruction-based sampling: two counters, of fetches and of cycles or micro-operations.
 * Each tags the next fetch or micro-operation when it expires, and latches its outcome in
 * registers. Source: AMD APM vol. 2, "Instruction-Based Sampling"; BKDG of family 10h, PPRs of
 * families 17h and 19h. Without FEATURE_IBS these functions do nothing.
 */
#ifndef VISOR_MODEL_IBS_REGISTERS_H
#define VISOR_MODEL_IBS_REGISTERS_H

#include "emulator/visor/model/base/ibs_state.h"
#include "emulator/visor/model/base/registers.h"
#include "emulator/visor/model/base/types.h"

/* CPUID leaf 8000001BH, EAX. 0: the processor has no IBS. */
uint32_t ibs_capabilities(const struct personality *personality);

/* The registers REG_IBS_*. */
uint64_t ibs_read(const struct model *model, enum reg reg, unsigned index);
void ibs_write(struct model *model, enum reg reg, unsigned index, uint64_t value);

/* Returns the initial count after a tag. */
uint64_t ibs_first_count(struct model *model, enum ibs_kind kind);

/* IBS's part of the functions of model.h with these names. */
void ibs_retire(struct model *model, const struct model_work *work);
uint64_t ibs_until(const struct model *model);
bool ibs_counts(const struct model *model);
bool ibs_counts_details(const struct model *model);
unsigned ibs_watches(const struct model *model, struct core_watch *watches);

#endif
