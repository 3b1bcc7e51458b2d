/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of mounts. */
#ifndef ABI_LINUX_MOUNT_H
#define ABI_LINUX_MOUNT_H

#include <linux/types.h>

#define MS_RDONLY     1
#define MS_REMOUNT    32
#define MS_BIND       4096
#define MS_MOVE       8192
#define MS_UNBINDABLE 0x20000
#define MS_PRIVATE    0x40000
#define MS_SLAVE      0x80000
#define MS_SHARED     0x100000

struct mount_attr {
	__u64 attr_set, attr_clr, propagation, userns_fd;
};

#endif
