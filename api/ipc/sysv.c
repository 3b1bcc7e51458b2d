/* SPDX-License-Identifier: BSD-2-Clause */
/* System V IPC: shmget(2), semget(2), msgget(2) and their families. */
#include <linux/errno.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "kernel/ipc/sysv.h"
#include "kernel/task/waitq.h"

long sys_shmget(uint64_t key, uint64_t bytes, uint64_t flags)
{
	return shm_get((int)key, bytes, (uint32_t)flags);
}

long sys_shmat(uint64_t id, uint64_t address, uint64_t flags)
{
	return shm_attach((int)id, address, (uint32_t)flags);
}

long sys_shmdt(uint64_t address)
{
	return shm_detach(address);
}

long sys_shmctl(uint64_t id, uint64_t command, uint64_t user)
{
	return shm_control((int)id, (int)command, user);
}

long sys_semget(uint64_t key, uint64_t count, uint64_t flags)
{
	return sem_get((int)key, (int)count, (uint32_t)flags);
}

long sys_semop(uint64_t id, uint64_t user, uint64_t count)
{
	return sem_operate((int)id, user, (uint32_t)count, WAITQ_FOREVER);
}

long sys_semtimedop(uint64_t id, uint64_t user, uint64_t count, uint64_t timeout)
{
	uint64_t deadline;
	int err = deadline_from_user(timeout, &deadline);

	return deadline_done(err ? err : sem_operate((int)id, user, (uint32_t)count, deadline));
}

long sys_semctl(uint64_t id, uint64_t number, uint64_t command, uint64_t argument)
{
	return sem_control((int)id, (int)number, (int)command, argument);
}

long sys_msgget(uint64_t key, uint64_t flags)
{
	return msg_get((int)key, (uint32_t)flags);
}

long sys_msgsnd(uint64_t id, uint64_t user, uint64_t bytes, uint64_t flags)
{
	return msg_send((int)id, user, bytes, (uint32_t)flags);
}

long sys_msgrcv(uint64_t id, uint64_t user, uint64_t bytes, uint64_t type, uint64_t flags)
{
	return msg_receive((int)id, user, bytes, (int64_t)type, (uint32_t)flags);
}

long sys_msgctl(uint64_t id, uint64_t command, uint64_t user)
{
	return msg_control((int)id, (int)command, user);
}
