/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks whose owner the kernel knows, and waiting for several words: futex(2), futex_waitv(2),
 * and the C library's use of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"
#include "tests/guest/task/together.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#define WAITV 449

struct words {
	uint32_t lock, other, word, ready;
};

/* In memory that all processes share. */
static struct words *shared;

static long result(long value)
{
	return value < 0 ? -errno : value;
}

static long futex(uint32_t *word, int command, uint32_t value, const void *timeout, uint32_t *word2,
		  uint32_t value3)
{
	return result(syscall(SYS_futex, word, command, value, timeout, word2, value3));
}

static long lock(uint32_t *word)
{
	return futex(word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
}

static long unlock(uint32_t *word)
{
	return futex(word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
}

static uint32_t own_number(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Until the word has the bits; bounded. */
static bool becomes(const uint32_t *word, uint32_t bits)
{
	for (int i = 0; i < 5000 && (load(word) & bits) != bits; i++)
		usleep(200);
	return (load(word) & bits) == bits;
}

static void clear(void)
{
	memset(shared, 0, sizeof(*shared));
}

static int ended(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- one task ---- */

static void test_alone(void)
{
	uint32_t word = 0;
	struct timespec bad = {0, -1};

	is(lock(&word), 0, "a free lock is taken");
	is(word, own_number(), "the word names its owner");
	is(lock(&word), -EDEADLK, "not twice");
	is(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0), -EDEADLK,
	   "FUTEX_TRYLOCK_PI of one's own lock: EDEADLK");
	is(unlock(&word), 0, "FUTEX_UNLOCK_PI succeeds");
	is(word, 0, "an unlocked word is free");
	is(unlock(&word), -EPERM, "not twice");
	is(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0), 0, "trying takes it");
	is(unlock(&word), 0, "a tried lock is unlocked");
	word = 0x3ffffff0;
	is(lock(&word), -ESRCH, "an owner that is not there");
	is(word, 0xbffffff0, "the word tells that somebody waits");
	word = FUTEX_OWNER_DIED;
	is(lock(&word), 0, "the lock of one that died");
	is(word, FUTEX_OWNER_DIED | own_number(), "is taken with the mark");
	is(unlock(&word), 0, "an unlocked word loses its mark");
	is(word, 0, "when it is unlocked");
	is(lock((uint32_t *)((char *)&word + 1)), -EINVAL, "a word is aligned");
	is(lock(NULL), -EFAULT, "EFAULT");
	is(futex(&word, FUTEX_LOCK_PI, 0, &bad, NULL, 0), -EINVAL, "a time that is none");
	is(futex(&word, FUTEX_LOCK_PI | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, 0), -ENOSYS,
	   "FUTEX_LOCK_PI has one clock only");
	is(futex(&word, FUTEX_LOCK_PI2 | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, 0), 0,
	   "the newer call has two");
	is(unlock(&word), 0, "FUTEX_LOCK_PI2 takes the same lock");
	is(futex(&word, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &word, 0), -EINVAL, "two words are two");
	is(futex(&word, FUTEX_CMP_REQUEUE_PI, 2, NULL, &word + 1, 0), -EINVAL,
	   "FUTEX_CMP_REQUEUE_PI that wakes two: EINVAL");
	is(futex(&shared->word, FUTEX_CMP_REQUEUE_PI, 1, NULL, &shared->lock, 7), -EAGAIN,
	   "the word has another value");
	is(futex(&shared->word, FUTEX_CMP_REQUEUE_PI, 1, NULL, &shared->lock, 0), 0,
	   "nobody waits to be moved");
}

/* ---- two ---- */

/* Starts a process that holds the lock until it is released. */
static pid_t holder(int how)
{
	pid_t child = fork();

	if (child) {
		becomes(&shared->ready, 1);
		return child;
	}
	lock(&shared->lock);
	shared->ready = 1;
	becomes(&shared->lock, FUTEX_WAITERS);
	usleep(2000);
	_exit(how ? how : (int)-unlock(&shared->lock));
}

static void test_two(void)
{
	struct timespec soon, late;
	pid_t child;

	clear();
	child = holder(0);
	is(lock(&shared->lock), 0, "a lock is waited for");
	is(shared->lock & FUTEX_TID_MASK, own_number(), "a lock is handed to its waiter");
	is(ended(child), 0, "the owner unlocks for the waiter");
	is(unlock(&shared->lock), 0, "the new owner unlocks");
	is(shared->lock, 0, "the word is free after both");

	clear();
	child = holder(5);
	is(lock(&shared->lock), 0, "an ending owner gives the lock away");
	ok(shared->lock & FUTEX_OWNER_DIED, "the lock of an ended owner has the mark");
	is(ended(child), 5, "the ended owner's exit status");
	is(unlock(&shared->lock), 0, "the new owner unlocks");

	clear();
	is(lock(&shared->lock), 0, "the parent holds it");
	child = fork();
	if (!child) {
		soon = after(CLOCK_REALTIME, 5);
		late = after(CLOCK_MONOTONIC, 5);
		if (futex(&shared->lock, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) != -EAGAIN)
			_exit(1);
		if (futex(&shared->lock, FUTEX_LOCK_PI, 0, &soon, NULL, 0) != -ETIMEDOUT)
			_exit(2);
		if (futex(&shared->lock, FUTEX_LOCK_PI2, 0, &late, NULL, 0) != -ETIMEDOUT)
			_exit(3);
		_exit(unlock(&shared->lock) == -EPERM ? 0 : 4);
	}
	is(ended(child), 0, "a child neither gets it in time, nor unlocks it");
	is(unlock(&shared->lock), 0, "the owner itself unlocks");
}

/* Holds one, waits for the other. */
static void test_deadlock(void)
{
	pid_t child;

	clear();
	lock(&shared->other);
	child = fork();
	if (!child) {
		lock(&shared->lock);
		shared->ready = 1;
		_exit((int)-lock(&shared->other));
	}
	becomes(&shared->other, FUTEX_WAITERS);
	usleep(2000);
	is(lock(&shared->lock), -EDEADLK, "two that would wait for each other");
	is(unlock(&shared->other), 0, "of two in a deadlock one succeeds");
	is(ended(child), 0, "the other of two succeeds afterwards");
}

static volatile sig_atomic_t handled;

static void handler(int signo)
{
	(void)signo;
	handled = 1;
}

static void test_signal(void)
{
	struct sigaction action = {.sa_handler = handler};
	struct itimerval timer = {.it_value = {0, 3000}};
	pid_t child;

	clear();
	child = fork();
	if (!child) {
		lock(&shared->lock);
		shared->ready = 1;
		usleep(20000);
		_exit((int)-unlock(&shared->lock));
	}
	becomes(&shared->ready, 1);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	is(lock(&shared->lock), 0, "a wait goes on after a handler without SA_RESTART");
	ok(handled, "the handler ran during the wait");
	is(ended(child), 0, "the child ends");
	unlock(&shared->lock);
}

static void test_moved(void)
{
	struct timespec soon = after(CLOCK_MONOTONIC, 5);
	pid_t children[3];
	long moved = 0;

	clear();
	is(futex(&shared->word, FUTEX_WAIT_REQUEUE_PI, 1, NULL, &shared->lock, 0), -EAGAIN,
	   "the word has another value");
	is(futex(&shared->word, FUTEX_WAIT_REQUEUE_PI, 0, &soon, &shared->lock, 0), -ETIMEDOUT,
	   "nobody moves it");
	for (int i = 0; i < 3; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		__atomic_fetch_add(&shared->ready, 1, __ATOMIC_SEQ_CST);
		if (futex(&shared->word, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &shared->lock, 0))
			_exit(1);
		_exit((shared->lock & FUTEX_TID_MASK) == own_number() ? (int)-unlock(&shared->lock)
								      : 2);
	}
	for (int i = 0; i < 5000 && load(&shared->ready) < 3; i++)
		usleep(200);
	usleep(5000);
	is(futex(&shared->word, FUTEX_WAKE, 1, NULL, NULL, 0), -EINVAL,
	   "FUTEX_WAIT_REQUEUE_PI is not woken unmoved");
	lock(&shared->lock);
	moved = futex(&shared->word, FUTEX_CMP_REQUEUE_PI, 1, (void *)10, &shared->lock, 0);
	is(moved, 3, "three are moved to a lock that is held");
	is(unlock(&shared->lock), 0, "the lock of moved waiters is unlocked");
	for (int i = 0; i < 3; i++)
		is(ended(children[i]), 0, "each moved waiter has the lock in turn");
	is(shared->lock & FUTEX_TID_MASK, 0, "then it is free");
}

/* ---- the C library's ---- */

static pthread_mutex_t mutex;
static int counter;

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		if (pthread_mutex_lock(&mutex))
			return &mutex;
		counter++;
		if (i % 50 == 0)
			sched_yield();
		if (pthread_mutex_unlock(&mutex))
			return &mutex;
	}
	return NULL;
}

static void *lock_and_leave(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)pthread_mutex_lock(&mutex);
}

static void test_library(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;
	void *left;

	pthread_mutexattr_init(&attributes);
	if (!ok(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0,
		"PTHREAD_PRIO_INHERIT"))
		return;
	pthread_mutex_init(&mutex, &attributes);
	is(together(count, NULL), THREADS, "threads take turns");
	is(counter, THREADS * ROUNDS, "threads with a mutex count right");
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attributes);
	pthread_create(&thread, NULL, lock_and_leave, NULL);
	pthread_join(thread, &left);
	is(pthread_mutex_lock(&mutex), EOWNERDEAD, "the next owner is told of one that ended");
	ok(!pthread_mutex_consistent(&mutex) && !pthread_mutex_unlock(&mutex) &&
	       !pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex),
	   "the next owner makes a robust mutex consistent");
}

/* ---- several words ---- */

struct waited {
	uint64_t value, address;
	uint32_t flags, reserved;
};

static long wait_any(struct waited *words, unsigned count, unsigned flags, const void *timeout,
		     int clock)
{
	return result(syscall(WAITV, words, count, flags, timeout, clock));
}

static void test_several(void)
{
	struct waited words[3] = {{0, (uintptr_t)&shared->lock, 2, 0},
				  {0, (uintptr_t)&shared->other, 2, 0},
				  {0, (uintptr_t)&shared->word, 2, 0}};
	struct timespec soon = after(CLOCK_MONOTONIC, 5);
	pid_t child;

	clear();
	is(wait_any(words, 3, 0, &soon, CLOCK_MONOTONIC), -ETIMEDOUT,
	   "futex_waitv of three words times out");
	soon = after(CLOCK_REALTIME, 5);
	is(wait_any(words, 3, 0, &soon, CLOCK_REALTIME), -ETIMEDOUT,
	   "futex_waitv times out by the other clock");
	words[2].value = 1;
	is(wait_any(words, 3, 0, NULL, 0), -EAGAIN, "futex_waitv with a changed value: EAGAIN");
	words[2].value = 0;
	is(wait_any(words, 0, 0, NULL, 0), -EINVAL, "no word");
	is(wait_any(words, 129, 0, NULL, 0), -EINVAL, "futex_waitv with too many words: EINVAL");
	is(wait_any(words, 3, 1, NULL, 0), -EINVAL, "futex_waitv with flags: EINVAL");
	is(wait_any(words, 3, 0, &soon, CLOCK_BOOTTIME), -EINVAL,
	   "futex_waitv with another clock: EINVAL");
	is(wait_any(NULL, 3, 0, NULL, 0), -EINVAL, "no words");
	is(wait_any((void *)16, 3, 0, NULL, 0), -EFAULT, "EFAULT");
	words[1].flags = 3;
	is(wait_any(words, 3, 0, NULL, 0), -EINVAL, "a word has 32 bits");
	words[1].flags = 2;
	words[1].reserved = 1;
	is(wait_any(words, 3, 0, NULL, 0), -EINVAL, "futex_waitv with reserved bits: EINVAL");
	words[1].reserved = 0;
	child = fork();
	if (!child) {
		for (int i = 0; i < 5000; i++, usleep(200))
			if (futex(&shared->other, FUTEX_WAKE, 1, NULL, NULL, 0) == 1)
				_exit(0);
		_exit(1);
	}
	is(wait_any(words, 3, 0, NULL, 0), 1, "the second is woken");
	is(ended(child), 0, "once");
}

int main(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_alone();
	test_two();
	test_deadlock();
	test_signal();
	test_moved();
	test_library();
	test_several();
	return tap_end();
}
