/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls about System V's objects and locks, to let fail. */
#include "tests/debug/failures.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sysv.h"
#include <linux/futex.h>

static int id;
static char buffer[PAGE];

void clean_ipc(void)
{
	remove_sysv();
}

static long do_shmget(void)
{
	return shmget(IPC_PRIVATE, 3 * PAGE, 0600);
}

static void with_segment(void)
{
	id = (int)do_shmget();
}

static long do_shmat(void)
{
	char *at = shmat(id, NULL, 0);

	if (at == (void *)-1)
		return -1;
	at[0] = at[2 * PAGE] = 1;
	return munmap(at + PAGE, PAGE) ? -1 : shmdt(at);
}

static void with_attached(void)
{
	with_segment();
	shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
}

static long do_fork(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	if (child > 0)
		waitpid(child, NULL, 0);
	return child;
}

static long do_segment_status(void)
{
	struct shmid_ds status;

	return shmctl(id, IPC_STAT, &status) ? -1 : shmctl(id, IPC_SET, &status);
}

static long do_semget(void)
{
	return semget(IPC_PRIVATE, 20, 0600);
}

static void with_set(void)
{
	id = (int)do_semget();
}

static long do_semop(void)
{
	struct sembuf operations[6];

	for (unsigned short i = 0; i < 6; i++)
		operations[i] = (struct sembuf){i, 1, SEM_UNDO};
	return semop(id, operations, 6);
}

static void with_undo(void)
{
	with_set();
	do_semop();
}

static long do_remove_set(void)
{
	return semctl(id, 0, IPC_RMID);
}

static long do_values(void)
{
	return semctl(id, 0, GETALL, buffer) ? -1 : semctl(id, 0, SETALL, buffer);
}

static long do_wait(void)
{
	struct sembuf operation = {0, -1, SEM_UNDO};
	struct timespec soon = {0, 100000};

	return syscall(SYS_semtimedop, id, &operation, 1, &soon) && errno == EAGAIN ? 0 : -1;
}

static long do_msgget(void)
{
	return msgget(IPC_PRIVATE, 0600);
}

static void with_queue(void)
{
	id = (int)do_msgget();
}

static long do_msgsnd(void)
{
	*(long *)buffer = 1;
	return msgsnd(id, buffer, 1000, 0);
}

static void with_message(void)
{
	with_queue();
	do_msgsnd();
}

static long do_msgrcv(void)
{
	return msgrcv(id, buffer, 1000, 0, IPC_NOWAIT);
}

static uint32_t *word;

/* Another process has the lock for a while. */
static void with_held_lock(void)
{
	word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!fork()) {
		syscall(SYS_futex, word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
		word[1] = 1;
		usleep(5000);
		_exit(0);
	}
	while (!__atomic_load_n(word + 1, __ATOMIC_SEQ_CST))
		usleep(100);
}

static long do_lock(void)
{
	const struct timespec past = {1, 0};

	return syscall(SYS_futex, word, FUTEX_LOCK_PI, 0, &past, NULL, 0) && errno == ETIMEDOUT
		   ? 0
		   : -1;
}

static long do_wait_any(void)
{
	static uint32_t words[2];
	struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} waited[2] = {{0, (uintptr_t)words, 2, 0}, {0, (uintptr_t)(words + 1), 130, 0}};
	const struct timespec past = {0, 1};

	return syscall(449, waited, 2, 0, &past, CLOCK_MONOTONIC) && errno == ETIMEDOUT ? 0 : -1;
}

const struct failing_call calls_of_ipc[] = {
    {"shmget", NULL, do_shmget},
    {"shmat", with_segment, do_shmat},
    {"fork with a segment", with_attached, do_fork},
    {"shmctl", with_segment, do_segment_status},
    {"semget", NULL, do_semget},
    {"semop to be undone", with_set, do_semop},
    {"a set that goes before it is undone", with_undo, do_remove_set},
    {"semctl of all values", with_set, do_values},
    {"semtimedop that waits", with_set, do_wait},
    {"msgget", NULL, do_msgget},
    {"msgsnd", with_queue, do_msgsnd},
    {"msgrcv", with_message, do_msgrcv},
    {"FUTEX_LOCK_PI", with_held_lock, do_lock},
    {"futex_waitv", NULL, do_wait_any},
    {NULL, NULL, NULL},
};
