/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting by POSIX and C11: kinds of mutexes, barriers, read-write and spin locks, semaphores,
 * C11's locks. Uses only the C library. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include "tests/guest/tap.h"
#include "tests/guest/task/together.h"

static void mutex_of(pthread_mutex_t *mutex, int type, bool robust)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	if (robust)
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void *try_lock(void *mutex)
{
	return (void *)(intptr_t)pthread_mutex_trylock(mutex);
}

static void *unlock(void *mutex)
{
	return (void *)(intptr_t)pthread_mutex_unlock(mutex);
}

static void *lock_and_leave(void *mutex)
{
	return (void *)(intptr_t)pthread_mutex_lock(mutex);
}

static void *lock_in_time(void *mutex)
{
	struct timespec time = soon(20);

	return (void *)(intptr_t)pthread_mutex_timedlock(mutex, &time);
}

/* Returns the function's result in a thread of its own. */
static long elsewhere(void *(*run)(void *), void *argument)
{
	pthread_t thread;
	void *result = NULL;

	if (pthread_create(&thread, NULL, run, argument))
		return -1;
	pthread_join(thread, &result);
	return (intptr_t)result;
}

static void test_mutexes(void)
{
	pthread_mutex_t mutex;

	mutex_of(&mutex, PTHREAD_MUTEX_RECURSIVE, false);
	ok(!pthread_mutex_lock(&mutex) && !pthread_mutex_lock(&mutex) &&
	       !pthread_mutex_unlock(&mutex),
	   "a recursive mutex is locked twice by its owner");
	is(elsewhere(try_lock, &mutex), EBUSY, "pthread_mutex_trylock from another thread: EBUSY");
	is(elsewhere(lock_in_time, &mutex), ETIMEDOUT,
	   "pthread_mutex_timedlock of a held mutex: ETIMEDOUT");
	pthread_mutex_unlock(&mutex);
	is(pthread_mutex_unlock(&mutex), EPERM, "unlocking an error-checking mutex twice: EPERM");
	mutex_of(&mutex, PTHREAD_MUTEX_ERRORCHECK, false);
	pthread_mutex_lock(&mutex);
	is(pthread_mutex_lock(&mutex), EDEADLK, "an error-checking mutex tells of a deadlock");
	is(elsewhere(unlock, &mutex), EPERM, "unlocking another's error-checking mutex: EPERM");
	pthread_mutex_unlock(&mutex);
	mutex_of(&mutex, PTHREAD_MUTEX_NORMAL, true);
	is(elsewhere(lock_and_leave, &mutex), 0, "a thread ends with a robust mutex");
	is(pthread_mutex_lock(&mutex), EOWNERDEAD, "the next owner is told");
	ok(!pthread_mutex_consistent(&mutex) && !pthread_mutex_unlock(&mutex) &&
	       !pthread_mutex_lock(&mutex),
	   "a robust mutex is made consistent");
	pthread_mutex_unlock(&mutex);
	elsewhere(lock_and_leave, &mutex);
	is(pthread_mutex_lock(&mutex), EOWNERDEAD, "told again");
	pthread_mutex_unlock(&mutex);
	is(pthread_mutex_lock(&mutex), ENOTRECOVERABLE,
	   "a robust mutex that is not mended is lost");
}

/* A robust mutex in memory of two processes, whose owner is killed. */
static void test_shared(void)
{
	pthread_mutex_t *mutex =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attributes;
	sem_t *locked = (sem_t *)(mutex + 1);
	pid_t child;
	int status;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(mutex, &attributes);
	sem_init(locked, 1, 0);
	child = fork();
	if (!child) {
		pthread_mutex_lock(mutex);
		sem_post(locked);
		for (;;)
			pause();
	}
	sem_wait(locked);
	is(pthread_mutex_trylock(mutex), EBUSY, "a process holds a mutex in shared memory");
	kill(child, SIGKILL);
	is(pthread_mutex_lock(mutex), EOWNERDEAD, "waiting for a killed owner's mutex: EOWNERDEAD");
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the owner was killed");
}

static pthread_barrier_t barrier;
static atomic_int serial, arrived;

static void *meet(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++) {
		int who;

		arrived++;
		who = pthread_barrier_wait(&barrier);
		serial += who == PTHREAD_BARRIER_SERIAL_THREAD;
		if (arrived < i * THREADS)
			return "too early";
		pthread_barrier_wait(&barrier);
	}
	return unused;
}

static void test_barrier(void)
{
	pthread_barrier_init(&barrier, NULL, THREADS);
	is(together(meet, NULL), THREADS, "nobody passes a barrier before all are there");
	is(serial, ROUNDS, "one thread of each barrier's round is the serial one");
	is(pthread_barrier_destroy(&barrier), 0, "the barrier can go");
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinlock;
static long pair[2], spun;

static void *read_and_write(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		bool torn;

		if (i % 4) {
			pthread_rwlock_rdlock(&rwlock);
		} else {
			pthread_rwlock_wrlock(&rwlock);
			pair[0]++;
			sched_yield();
			pair[1]++;
		}
		torn = pair[0] != pair[1];
		pthread_rwlock_unlock(&rwlock);
		if (torn)
			return "torn";
		pthread_spin_lock(&spinlock);
		spun++;
		pthread_spin_unlock(&spinlock);
	}
	return unused;
}

static void *write_in_time(void *unused)
{
	struct timespec time = soon(20);

	(void)unused;
	return (void *)(intptr_t)pthread_rwlock_timedwrlock(&rwlock, &time);
}

static void test_rwlock(void)
{
	pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
	is(together(read_and_write, NULL), THREADS, "readers see what writers finished");
	is(pair[1], THREADS * ROUNDS / 4, "no write is lost");
	is(spun, THREADS * ROUNDS, "a spin lock loses no update");
	pthread_rwlock_rdlock(&rwlock);
	is(elsewhere(write_in_time, NULL), ETIMEDOUT, "a writer waits for a reader, not for ever");
	pthread_rwlock_unlock(&rwlock);
}

static sem_t slots, items;
static atomic_long produced, consumed;

static void *pass(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&slots);
		produced++;
		sem_post(&items);
		sem_wait(&items);
		consumed++;
		sem_post(&slots);
	}
	return unused;
}

static void test_semaphore(void)
{
	struct timespec time = soon(20);
	int value;

	sem_init(&slots, 0, 2);
	sem_init(&items, 0, 0);
	is(together(pass, NULL), THREADS, "semaphores let threads take turns");
	sem_getvalue(&slots, &value);
	ok(value == 2 && produced == consumed && produced == (long)THREADS * ROUNDS,
	   "semaphores lose nothing");
	ok(sem_timedwait(&items, &time) == -1 && errno == ETIMEDOUT,
	   "a wait with a deadline gives up");
	ok(sem_trywait(&items) == -1 && errno == EAGAIN, "a trial does not wait");
}

static mtx_t c11_mutex;
static cnd_t c11_condition;
static tss_t c11_key;
static int c11_turn;
static atomic_int c11_destroyed;

static void c11_destroy(void *unused)
{
	(void)unused;
	c11_destroyed++;
}

static int c11_run(void *mine)
{
	tss_set(c11_key, mine);
	mtx_lock(&c11_mutex);
	for (int i = 0; i < ROUNDS; i++) {
		while (c11_turn % 2 != *(int *)mine)
			cnd_wait(&c11_condition, &c11_mutex);
		c11_turn++;
		cnd_broadcast(&c11_condition);
	}
	mtx_unlock(&c11_mutex);
	return 40 + *(int *)mine;
}

static void test_c11(void)
{
	struct timespec time = soon(20);
	int numbers[] = {0, 1}, results[2] = {0};
	thrd_t threads[2];

	mtx_init(&c11_mutex, mtx_timed | mtx_recursive);
	cnd_init(&c11_condition);
	tss_create(&c11_key, c11_destroy);
	for (int i = 0; i < 2; i++)
		thrd_create(&threads[i], c11_run, &numbers[i]);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], &results[i]);
	ok(c11_turn == 2 * ROUNDS && results[0] == 40 && results[1] == 41,
	   "C11 threads take turns and return");
	is(c11_destroyed, 2, "thread-specific values of C11 are destroyed");
	mtx_lock(&c11_mutex);
	is(cnd_timedwait(&c11_condition, &c11_mutex, &time), thrd_timedout,
	   "cnd_timedwait gives up");
}

int main(void)
{
	alarm(500); /* the host may be slow */
	test_mutexes();
	test_shared();
	test_barrier();
	test_rwlock();
	test_semaphore();
	test_c11();
	return tap_end();
}
