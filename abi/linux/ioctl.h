/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of ioctl() requests. */
#ifndef ABI_LINUX_IOCTL_H
#define ABI_LINUX_IOCTL_H

#include <asm/ioctl.h>

#endif
