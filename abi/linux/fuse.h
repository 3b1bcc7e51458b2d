/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the kernel to a process that serves a file system (7.x). */
#ifndef ABI_LINUX_FUSE_H
#define ABI_LINUX_FUSE_H

#include <linux/types.h>

#define FUSE_KERNEL_VERSION 7

#define FUSE_ASYNC_READ         (1u << 0)
#define FUSE_MAX_PAGES          (1u << 22)
#define FUSE_CACHE_SYMLINKS     (1u << 23)
#define FUSE_NO_OPENDIR_SUPPORT (1u << 24)
#define FUSE_NO_OPEN_SUPPORT    (1u << 17)
#define FUSE_PARALLEL_DIROPS    (1u << 18)

enum fuse_opcode {
	FUSE_LOOKUP = 1,
	FUSE_FORGET = 2,
	FUSE_GETATTR = 3,
	FUSE_READLINK = 5,
	FUSE_OPEN = 14,
	FUSE_READ = 15,
	FUSE_STATFS = 17,
	FUSE_INIT = 26,
	FUSE_OPENDIR = 27,
	FUSE_READDIR = 28,
	FUSE_INTERRUPT = 36,
	FUSE_BATCH_FORGET = 42,
};

struct fuse_in_header {
	__u32 len, opcode;
	__u64 unique, nodeid;
	__u32 uid, gid, pid;
	__u16 total_extlen, padding; /* 0 before 7.38 */
};

struct fuse_out_header {
	__u32 len;
	__s32 error;
	__u64 unique;
};

/* Kernels before 7.36 send the first 16 bytes. */
struct fuse_init_in {
	__u32 major, minor, max_readahead, flags, flags2, unused[11];
};

struct fuse_init_out {
	__u32 major, minor, max_readahead, flags;
	__u16 max_background, congestion_threshold;
	__u32 max_write, time_gran;
	__u16 max_pages, map_alignment;
	__u32 flags2, unused[7];
};

struct fuse_attr {
	__u64 ino, size, blocks, atime, mtime, ctime;
	__u32 atimensec, mtimensec, ctimensec;
	__u32 mode, nlink, uid, gid, rdev, blksize, flags;
};

struct fuse_attr_out {
	__u64 attr_valid;
	__u32 attr_valid_nsec, dummy;
	struct fuse_attr attr;
};

struct fuse_entry_out {
	__u64 nodeid, generation, entry_valid, attr_valid;
	__u32 entry_valid_nsec, attr_valid_nsec;
	struct fuse_attr attr;
};

struct fuse_kstatfs {
	__u64 blocks, bfree, bavail, files, ffree;
	__u32 bsize, namelen, frsize, padding, spare[6];
};

struct fuse_statfs_out {
	struct fuse_kstatfs st;
};

struct fuse_read_in {
	__u64 fh, offset;
	__u32 size, read_flags;
	__u64 lock_owner;
	__u32 flags, padding;
};

struct fuse_dirent {
	__u64 ino, off;
	__u32 namelen, type;
	char name[];
};

#endif
