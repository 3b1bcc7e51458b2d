/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO in address spaces: vdso(7). */
#ifndef KERNEL_VDSO_H
#define KERNEL_VDSO_H

#include <stdint.h>

struct mm;

/* Makes the pages that all programs share. Context: start, once, after clocks and inodes. */
void vdso_init(void);
/* Maps them into a new program's memory at the highest free address, [vvar] below [vdso]. Returns
 * the address of the ELF header (AT_SYSINFO_EHDR), or 0 if there is no room. Context: task. */
uint64_t vdso_map(struct mm *mm);

/* Passes a new real time to the vDSO. Context: task. */
void vdso_clock_set(void);

#endif
