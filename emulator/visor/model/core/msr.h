/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers, and RDPMC, as the guest accesses them. */
#ifndef VISOR_MODEL_MSR_H
#define VISOR_MODEL_MSR_H

#include "emulator/visor/model/base/types.h"

/* Register access. Reserved bits, registers that the version lacks and values that are too wide
 * yield MODEL_GP (SDM vol. 3 and 4). */
enum model_result model_rdmsr(const struct model *model, uint32_t msr, uint64_t *value);
enum model_result model_wrmsr(struct model *model, uint32_t msr, uint64_t value);
/* Returns the result of model_wrmsr(), without the write. */
enum model_result model_wrmsr_check(const struct model *model, uint32_t msr, uint64_t value);
/*
 * `index` is ECX of RDPMC: bits 15:0 the counter, bits 31:16 its kind (0 general, 4000H fixed); all
 * other values, including the fast-read bit 31, yield MODEL_GP on an architectural PMU. The caller
 * checks CR4.PCE and CPL.
 */
enum model_result model_rdpmc(const struct model *model, uint32_t index, uint64_t *value);
/* Where the counts of that counter come from: VISOR_COUNTS_* (abi/visor_cpuid.h). `stepped`: every
 * instruction runs alone, so that branches are known. */
unsigned model_counter_source(const struct model *model, uint32_t index, bool stepped);

#endif
