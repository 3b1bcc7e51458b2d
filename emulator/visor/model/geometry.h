/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID's leaves of caches and TLBs, from the simulated core. */
#ifndef VISOR_MODEL_GEOMETRY_H
#define VISOR_MODEL_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/core_geometry.h"

/* As model_cpuid(), for leaves about caches and TLBs; leaves all others unchanged. */
void geometry_cpuid(const struct core_geometry *geometry, bool amd, uint32_t leaf, uint32_t subleaf,
		    uint32_t regs[4]);

#endif
