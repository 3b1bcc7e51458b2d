/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of System V outlive the processes that made them: takes them all away. */
#ifndef TESTS_FUZZ_SYSV_H
#define TESTS_FUZZ_SYSV_H

#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static inline void remove_sysv(void)
{
	struct shmid_ds segment;
	struct semid_ds set;
	struct msqid_ds queue;
	int last = shmctl(0, SHM_INFO, (struct shmid_ds *)&(struct shm_info){0});

	for (int slot = 0; slot <= last; slot++)
		shmctl(shmctl(slot, SHM_STAT, &segment), IPC_RMID, NULL);
	last = semctl(0, 0, SEM_INFO, &(struct seminfo){0});
	for (int slot = 0; slot <= last; slot++)
		semctl(semctl(slot, 0, SEM_STAT, &set), 0, IPC_RMID);
	last = msgctl(0, MSG_INFO, (struct msqid_ds *)&(struct msginfo){0});
	for (int slot = 0; slot <= last; slot++)
		msgctl(msgctl(slot, MSG_STAT, &queue), IPC_RMID, NULL);
}

#endif
