/* SPDX-License-Identifier: BSD-2-Clause */
/* System V objects. */
#ifndef ABI_LINUX_IPC_H
#define ABI_LINUX_IPC_H

#include <linux/posix_types.h>

#define IPC_PRIVATE 0
#define IPC_RMID    0
#define IPC_SET     1
#define IPC_STAT    2
#define IPC_INFO    3
#define IPC_CREAT   01000
#define IPC_EXCL    02000
#define IPC_NOWAIT  04000

struct ipc64_perm {
	__kernel_key_t key;
	__kernel_uid32_t uid, gid, cuid, cgid, mode;
	unsigned short seq;
	__kernel_ulong_t __reserved1, __reserved2;
};

#endif
