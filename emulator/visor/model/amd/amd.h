/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of AMD's part of the model. */
#ifndef VISOR_MODEL_AMD_H
#define VISOR_MODEL_AMD_H

#include <stdint.h>

#include "emulator/visor/model/base/personality.h"

/* struct vendor's cpuid. */
void amd_cpuid(const struct personality *personality, uint32_t leaf, uint32_t regs[4]);

#endif
