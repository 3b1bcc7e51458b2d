/* SPDX-License-Identifier: BSD-2-Clause */
/* The request of openat2(). */
#ifndef ABI_LINUX_OPENAT2_H
#define ABI_LINUX_OPENAT2_H

#include <linux/types.h>

#define RESOLVE_NO_XDEV       0x01
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS   0x04
#define RESOLVE_BENEATH       0x08
#define RESOLVE_IN_ROOT       0x10
#define RESOLVE_CACHED        0x20

struct open_how {
	__u64 flags, mode, resolve;
};

#endif
