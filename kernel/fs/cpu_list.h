/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of processors as sysfs has them. */
#ifndef KERNEL_FS_CPU_LIST_H
#define KERNEL_FS_CPU_LIST_H

struct cpu_mask;
struct text;

/* Adds the processors as a list of ranges ("0-3,6"), and the end of the line. Context: any. */
void cpu_list_add(struct text *text, const struct cpu_mask *mask);

#endif
