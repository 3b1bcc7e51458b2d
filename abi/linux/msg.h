/* SPDX-License-Identifier: BSD-2-Clause */
/* System V message queues. */
#ifndef ABI_LINUX_MSG_H
#define ABI_LINUX_MSG_H

#include <linux/ipc.h>

#define MSGSSZ  16
#define MSGMAP  16384
#define MSGTQL  16384
#define MSGSEG  0xffff
#define MSGPOOL 512000

#define MSG_NOERROR 010000
#define MSG_EXCEPT  020000
#define MSG_COPY    040000

#define MSG_STAT     11
#define MSG_INFO     12
#define MSG_STAT_ANY 13

struct msqid64_ds {
	struct ipc64_perm msg_perm;
	long msg_stime, msg_rtime, msg_ctime;
	unsigned long msg_cbytes, msg_qnum, msg_qbytes;
	__kernel_pid_t msg_lspid, msg_lrpid;
	unsigned long __reserved4, __reserved5;
};

struct msginfo {
	int msgpool, msgmap, msgmax, msgmnb, msgmni, msgssz, msgtql;
	unsigned short msgseg;
};

#endif
