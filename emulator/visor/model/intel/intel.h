/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of Intel's part of the model. */
#ifndef VISOR_MODEL_INTEL_H
#define VISOR_MODEL_INTEL_H

#include <stdint.h>

#include "emulator/visor/model/base/personality.h"

/* struct vendor's cpuid. */
void intel_cpuid(const struct personality *personality, uint32_t leaf, uint32_t regs[4]);

#endif
