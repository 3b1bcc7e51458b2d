/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of namespaces. */
#ifndef ABI_LINUX_NSFS_H
#define ABI_LINUX_NSFS_H

#include <linux/ioctl.h>

#define NS_GET_NSTYPE 0xb703

#endif
