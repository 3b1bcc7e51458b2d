/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/mem: physical memory, except the kernel's and programs', for tasks with CAP_SYS_RAWIO. */
#ifndef KERNEL_MEM_DEVICE_H
#define KERNEL_MEM_DEVICE_H

#include "kernel/file/file.h"
#include "kernel/fs/inode.h"

/* Makes room for it in the kernel's map. Context: start, once. */
void mem_device_init(void);

extern const struct file_ops mem_ops;
extern const struct inode_ops mem_inode_ops;

#endif
