/* SPDX-License-Identifier: BSD-2-Clause */
/* /dev/ring0: calls code of a program in ring 0 (abi/ring0.h). */
#ifndef KERNEL_RING0_H
#define KERNEL_RING0_H

extern const struct file_ops ring0_ops;
/* Opening it takes CAP_SYS_RAWIO: EPERM. */
extern const struct inode_ops ring0_inode_ops;

#endif
