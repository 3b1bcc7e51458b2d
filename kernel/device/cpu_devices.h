/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/cpu/N/msr and /dev/cpu/N/cpuid, as Linux's drivers of these names have them. */
#ifndef KERNEL_CPU_DEVICES_H
#define KERNEL_CPU_DEVICES_H

struct inode;

/* Puts them into the folder /dev. Context: start, with all processors known. */
void cpu_devices_init(struct inode *dev);

#endif
