/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of pmu/ to start-up. */
#ifndef PMU_PMU_H
#define PMU_PMU_H

/* Discovers the PMU, registers the PMUs and fills perf_hooks. Context: start, once, after the APIC
 * and the kernel. */
void pmu_init(void);

/* Detects the PMU and prepares that of every processor. Context: start. */
void hardware_init(void);

/* Adds the software PMU and the processors' PMUs. Context: start, after hardware_init(). */
void sysfs_init(void);

#endif
