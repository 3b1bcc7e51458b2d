/* SPDX-License-Identifier: BSD-2-Clause */
/* stat(). */
#ifndef ABI_ASM_STAT_H
#define ABI_ASM_STAT_H

#include <linux/posix_types.h>

struct stat {
	__kernel_ulong_t st_dev, st_ino, st_nlink;
	unsigned st_mode, st_uid, st_gid;
	__kernel_ulong_t st_rdev;
	__kernel_long_t st_size, st_blksize, st_blocks;
	__kernel_ulong_t st_atime, st_atime_nsec, st_mtime, st_mtime_nsec, st_ctime, st_ctime_nsec;
	__kernel_long_t __reserved[3];
};

#endif
