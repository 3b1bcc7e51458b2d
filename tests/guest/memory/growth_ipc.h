/* SPDX-License-Identifier: BSD-2-Clause */
/* growth.c's counter, and its objects of communication between processes: words slept on, queues of
 * messages, semaphores. */
#ifndef TESTS_GUEST_MEMORY_GROWTH_IPC_H
#define TESTS_GUEST_MEMORY_GROWTH_IPC_H

#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter; /* an event of instructions */

static uint64_t count(void)
{
	uint64_t value = 0;

	read(counter, &value, sizeof(value));
	return value;
}

/* Words that others sleep on. */

#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449
#endif
#define WORDS 128 /* of a call */

static void sleep_on(unsigned count)
{
	static uint32_t words[WORDS];
	struct futex_waitv waits[WORDS] = {0};

	for (unsigned i = 0; i < count; i++) {
		waits[i].uaddr = (uint64_t)&words[i];
		waits[i].flags = FUTEX_32 | FUTEX_PRIVATE_FLAG;
	}
	syscall(__NR_futex_waitv, waits, count, 0, NULL, 0);
	_exit(1);
}

static void more_sleepers(unsigned from, unsigned to)
{
	for (; from < to; from += WORDS)
		if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
			sleep_on(to - from < WORDS ? to - from : WORDS);
	usleep(10000);
}

static void one_wake(void)
{
	static uint32_t word;

	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Queues of messages with keys, which outlive their process. */

#define QUEUES 10000

static void more_queues(unsigned from, unsigned to)
{
	while (from++ < to)
		msgget((key_t)from, IPC_CREAT | 0600);
}

static void remove_queues(void)
{
	for (key_t key = 1; key <= QUEUES; key++)
		msgctl(msgget(key, 0), IPC_RMID, NULL);
}

static void one_key(void)
{
	msgget(1, 0);
	msgget(20000, 0);
}

/* Tasks that wait for semaphores of one set. */

static int semaphores;

static void sleep_for(struct sembuf *operations, unsigned count, unsigned sleepers)
{
	while (sleepers--)
		if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
			_exit(semop(semaphores, operations, count) != 0);
}

/* Until that number of tasks waits for the semaphore. */
static void wait_for_sleepers(int number, int count)
{
	for (int i = 0; i < 10000 && semctl(semaphores, number, GETNCNT) < count; i++)
		usleep(1000);
}

static void more_waiting(unsigned from, unsigned to)
{
	struct sembuf two = {0, -2, 0};

	if (!from)
		semaphores = semget(IPC_PRIVATE, 2, 0600);
	sleep_for(&two, 1, to - from);
	wait_for_sleepers(0, (int)to);
}

/* Too little for them. */
static void one_semop(void)
{
	struct sembuf more = {0, 1, 0}, less = {0, -1, 0};

	semop(semaphores, &more, 1);
	semop(semaphores, &less, 1);
}

/* Returns the cost for each of `nr` waiters that one call releases, when each raises the value
 * that as many before it wait for, and not by enough. */
static uint64_t let_go_cost(unsigned nr)
{
	struct sembuf much = {1, -30000, 0}, give[] = {{0, -1, 0}, {1, 1, 0}};
	uint64_t before;

	semaphores = semget(IPC_PRIVATE, 2, 0600);
	sleep_for(&much, 1, nr);
	wait_for_sleepers(1, (int)nr);
	sleep_for(give, 2, nr);
	wait_for_sleepers(0, (int)nr);
	before = count();
	semctl(semaphores, 0, SETVAL, nr);
	before = count() - before;
	if (semctl(semaphores, 1, GETVAL) != (int)nr)
		return UINT64_MAX;
	semctl(semaphores, 0, IPC_RMID);
	return before / nr;
}

#endif
