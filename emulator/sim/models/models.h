/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of emulator/sim/models/. */
#ifndef CORE_CORES_H
#define CORE_CORES_H

#include "emulator/sim/config/config.h"

extern const struct core_config core_yonah, core_core2, core_nehalem, core_skylake,
    core_golden_cove, core_gracemont, core_k10, core_zen2, core_zen4, core_cachegrind;

#endif
