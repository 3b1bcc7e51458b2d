/* SPDX-License-Identifier: BSD-2-Clause */
/* statfs(). */
#ifndef ABI_ASM_STATFS_H
#define ABI_ASM_STATFS_H

#include <linux/posix_types.h>

typedef struct {
	int val[2];
} __kernel_fsid_t;

struct statfs {
	__kernel_long_t f_type, f_bsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	__kernel_fsid_t f_fsid;
	__kernel_long_t f_namelen, f_frsize, f_flags, f_spare[4];
};

#endif
