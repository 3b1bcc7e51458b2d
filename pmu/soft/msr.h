/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU of free-running registers. */
#ifndef PMU_MSR_H
#define PMU_MSR_H

#include <stdint.h>

/* Detects the registers and registers the PMU as `type`. Returns the number of PMUs: 1. Context:
 * start. */
unsigned msr_pmu_init(uint32_t type);

#endif
