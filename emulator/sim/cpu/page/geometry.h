/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's caches and TLBs for CPUID. */
#ifndef CORE_GEOMETRY_H
#define CORE_GEOMETRY_H

#include "abi/core_geometry.h"
#include "emulator/sim/config/config.h"

/* Fills in all of `out`. */
void core_geometry(const struct core_config *config, struct core_geometry *out);

#endif
