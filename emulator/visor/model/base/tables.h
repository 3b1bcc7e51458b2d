/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions that the vendor's tables answer. */
#ifndef VISOR_MODEL_TABLES_H
#define VISOR_MODEL_TABLES_H

#include "emulator/visor/model/base/types.h"

/* True for one of Intel's. */
bool model_is_intel(const struct model *model);
/* Visits each MSR for which these functions return anything except MODEL_NOT_PMU, some twice. */
void model_each_msr(void (*visit)(uint32_t msr, void *context), void *context);

#endif
