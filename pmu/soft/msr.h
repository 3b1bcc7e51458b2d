/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU of registers that count by themselves. */
#ifndef PMU_MSR_H
#define PMU_MSR_H

/* Finds them, and offers the PMU, whose number comes after those of so many others. Context:
 * start, after hardware_init(). */
void msr_pmu_init(unsigned before);

#endif
