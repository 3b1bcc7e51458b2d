/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/cpu/N/msr and /dev/cpu/N/cpuid, like Linux's drivers of these names. */
#ifndef KERNEL_CPU_DEVICES_H
#define KERNEL_CPU_DEVICES_H

#include <stdint.h>

struct file;
struct inode;

/* Adds them to the directory /dev. Context: start, with all processors known. */
void cpu_devices_init(struct inode *dev);
/* lseek(2) of a file without an end, whose offset is an address: the offset or -EINVAL. Context:
 * task. */
long device_seek(struct file *file, int64_t offset, int whence);

#endif
