/* SPDX-License-Identifier: BSD-2-Clause */
/* System V semaphores. */
#ifndef ABI_LINUX_SEM_H
#define ABI_LINUX_SEM_H

#include <linux/ipc.h>

#define GETPID  11
#define GETVAL  12
#define GETALL  13
#define GETNCNT 14
#define GETZCNT 15
#define SETVAL  16
#define SETALL  17
#define SEMUSZ  20
#define SEMUME  500
#define SEMAEM  32767
#define SEMMAP  1024000000
#define SEMMNU  1024000000

#define SEM_STAT     18
#define SEM_INFO     19
#define SEM_STAT_ANY 20
#define SEM_UNDO     0x1000

struct semid64_ds {
	struct ipc64_perm sem_perm;
	__kernel_long_t sem_otime;
	__kernel_ulong_t __reserved1;
	__kernel_long_t sem_ctime;
	__kernel_ulong_t __reserved2;
	__kernel_ulong_t sem_nsems;
	__kernel_ulong_t __reserved3, __reserved4;
};

struct sembuf {
	unsigned short sem_num;
	short sem_op, sem_flg;
};

struct seminfo {
	int semmap, semmni, semmns, semmnu, semmsl, semopm, semume, semusz, semvmx, semaem;
};

#endif
