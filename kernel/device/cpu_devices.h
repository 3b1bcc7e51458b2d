/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/cpu/N/msr and /dev/cpu/N/cpuid, as Linux's drivers of these names have them. */
#ifndef KERNEL_CPU_DEVICES_H
#define KERNEL_CPU_DEVICES_H

#include <stdint.h>

struct file;
struct inode;

/* Puts them into the folder /dev. Context: start, with all processors known. */
void cpu_devices_init(struct inode *dev);
/* lseek(2) of a file whose offset is an address and that has no end: the offset or -EINVAL.
 * Context: task. */
long device_seek(struct file *file, int64_t offset, int whence);

#endif
