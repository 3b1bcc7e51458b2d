/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of open files, commands of fcntl(), flags of the calls that end in -at. */
#ifndef ABI_LINUX_FCNTL_H
#define ABI_LINUX_FCNTL_H

#include <linux/posix_types.h>

#define FASYNC 020000

#define FD_CLOEXEC 1

#define F_DUPFD         0
#define F_GETFD         1
#define F_SETFD         2
#define F_GETFL         3
#define F_SETFL         4
#define F_GETLK         5
#define F_SETLK         6
#define F_SETLKW        7
#define F_SETOWN        8
#define F_GETOWN        9
#define F_SETSIG        10
#define F_GETSIG        11
#define F_SETOWN_EX     15
#define F_GETOWN_EX     16
#define F_OFD_GETLK     36
#define F_OFD_SETLK     37
#define F_OFD_SETLKW    38
#define F_NOTIFY        1026
#define F_DUPFD_CLOEXEC 1030
#define F_SETPIPE_SZ    1031
#define F_GETPIPE_SZ    1032
#define F_ADD_SEALS     1033
#define F_GET_SEALS     1034

#define F_OWNER_TID  0
#define F_OWNER_PID  1
#define F_OWNER_PGRP 2

#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2

#define O_RDONLY    0
#define O_WRONLY    01
#define O_RDWR      02
#define O_ACCMODE   03
#define O_CREAT     0100
#define O_EXCL      0200
#define O_NOCTTY    0400
#define O_TRUNC     01000
#define O_APPEND    02000
#define O_NONBLOCK  04000
#define O_DSYNC     010000
#define O_DIRECT    040000
#define O_LARGEFILE 0100000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW  0400000
#define O_NOATIME   01000000
#define O_CLOEXEC   02000000
#define O_SYNC      0x101000
#define O_PATH      010000000
#define O_TMPFILE   0x410000

#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_EACCESS          0x200
#define AT_REMOVEDIR        0x200
#define AT_SYMLINK_FOLLOW   0x400
#define AT_NO_AUTOMOUNT     0x800
#define AT_EMPTY_PATH       0x1000
#define AT_STATX_SYNC_TYPE  0x6000
#define AT_FDCWD            (-100)

#define F_SEAL_SEAL         0x1
#define F_SEAL_SHRINK       0x2
#define F_SEAL_GROW         0x4
#define F_SEAL_WRITE        0x8
#define F_SEAL_FUTURE_WRITE 0x10

struct flock {
	short l_type, l_whence;
	__kernel_off_t l_start, l_len;
	__kernel_pid_t l_pid;
};

struct f_owner_ex {
	int type;
	__kernel_pid_t pid;
};

#endif
