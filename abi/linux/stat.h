/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes of files, statx(). */
#ifndef ABI_LINUX_STAT_H
#define ABI_LINUX_STAT_H

#include <linux/types.h>

#define STATX_BASIC_STATS 0x7ffu
#define STATX__RESERVED   0x80000000u

#define S_IFMT   0170000
#define S_IFIFO  0010000
#define S_IFCHR  0020000
#define S_IFDIR  0040000
#define S_IFBLK  0060000
#define S_IFREG  0100000
#define S_IFLNK  0120000
#define S_IFSOCK 0140000
#define S_ISVTX  0001000
#define S_ISGID  0002000
#define S_ISUID  0004000
#define S_IXGRP  0000010

#define S_ISFIFO(mode) (((mode)&S_IFMT) == S_IFIFO)
#define S_ISCHR(mode)  (((mode)&S_IFMT) == S_IFCHR)
#define S_ISDIR(mode)  (((mode)&S_IFMT) == S_IFDIR)
#define S_ISBLK(mode)  (((mode)&S_IFMT) == S_IFBLK)
#define S_ISREG(mode)  (((mode)&S_IFMT) == S_IFREG)
#define S_ISLNK(mode)  (((mode)&S_IFMT) == S_IFLNK)
#define S_ISSOCK(mode) (((mode)&S_IFMT) == S_IFSOCK)

struct statx_timestamp {
	__s64 tv_sec;
	__u32 tv_nsec;
	__s32 __reserved;
};

struct statx {
	__u32 stx_mask, stx_blksize;
	__u64 stx_attributes;
	__u32 stx_nlink, stx_uid, stx_gid;
	__u16 stx_mode;
	__u64 stx_ino, stx_size, stx_blocks, stx_attributes_mask;
	struct statx_timestamp stx_atime, stx_btime, stx_ctime, stx_mtime;
	__u32 stx_rdev_major, stx_rdev_minor, stx_dev_major, stx_dev_minor;
	__u64 stx_mnt_id;
	__u32 stx_dio_mem_align, stx_dio_offset_align;
	__u64 __reserved3[12];
};

#endif
