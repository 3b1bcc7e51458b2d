/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of Intel's part of the model. */
#ifndef VISOR_MODEL_INTEL_H
#define VISOR_MODEL_INTEL_H

#include <stdint.h>

#include "emulator/visor/model/base/personality.h"

/* struct vendor's cpuid. */
void intel_cpuid(const struct personality *personality, uint32_t leaf, uint32_t regs[4]);

/* Fills in leaf 23H of an Intel processor, which is empty before version 6. Source: Intel SDM
 * vol. 2, CPUID; vol. 3, "Architectural Performance Monitoring Version 6". */
void intel_cpuid_perfmon_extended(const struct personality *p, uint32_t subleaf, uint32_t regs[4]);

#endif
