/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU of registers that count by themselves. */
#ifndef PMU_MSR_H
#define PMU_MSR_H

#include <stdint.h>

/* Finds them, and offers the PMU as this type; how many PMUs: 1. Context: start. */
unsigned msr_pmu_init(uint32_t type);

#endif
