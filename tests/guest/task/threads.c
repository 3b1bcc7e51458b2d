/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: creation and joining, mutexes, condition variables, thread-local storage, signals to
 * threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

enum { THREADS = 8, ROUNDS = 20000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static long shared;
static int turn;
static __thread long own = 5;

static void *count(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		shared++;
		pthread_mutex_unlock(&mutex);
		own++;
	}
	return (void *)((uintptr_t)argument + (uintptr_t)own);
}

static void test_mutex(void)
{
	pthread_t threads[THREADS];
	int created = 0, right = 0;

	for (long i = 0; i < THREADS; i++)
		created += pthread_create(&threads[i], NULL, count, (void *)(i * 1000000)) == 0;
	for (long i = 0; i < created; i++) {
		void *result;

		pthread_join(threads[i], &result);
		right += (long)result == i * 1000000 + 5 + ROUNDS;
	}
	is(created, THREADS, "eight threads are created");
	is(right, THREADS, "each thread has its own thread-local variables");
	is(shared, (long)THREADS * ROUNDS, "a mutex keeps their common counter right");
	is(own, 5, "the first thread's variable is untouched");
}

static void *take_turns(void *argument)
{
	int mine = (int)(intptr_t)argument;

	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&mutex);
		while (turn % 2 != mine)
			pthread_cond_wait(&condition, &mutex);
		turn++;
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void test_condition(void)
{
	pthread_t threads[2];
	struct timespec soon;

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_turns, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	is(turn, 400, "two threads take turns by a condition variable");
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 20000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	pthread_mutex_lock(&mutex);
	is(pthread_cond_timedwait(&condition, &mutex, &soon), ETIMEDOUT,
	   "a wait with a deadline ends by it");
	pthread_mutex_unlock(&mutex);
}

static atomic_long signalled;
static atomic_int stop;

static void note(int signo)
{
	(void)signo;
	signalled = syscall(SYS_gettid);
}

static void *spin(void *argument)
{
	*(atomic_long *)argument = syscall(SYS_gettid);
	while (!stop)
		sched_yield();
	return NULL;
}

static void test_signal(void)
{
	struct sigaction action = {.sa_handler = note};
	atomic_long tid = 0;
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, spin, &tid);
	while (!tid)
		sched_yield();
	ok(tid != getpid(), "a thread has a number of its own");
	pthread_kill(thread, SIGUSR1);
	while (!signalled)
		sched_yield();
	is(signalled, tid, "pthread_kill reaches that thread");
	stop = 1;
	pthread_join(thread, NULL);
}

static void *leave(void *argument)
{
	(void)argument;
	usleep(10000);
	_exit(21);
}

static void *idle(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void test_exit(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, idle, NULL);
		pthread_create(&thread, NULL, leave, NULL);
		for (;;)
			pause();
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 21, "exit in one thread ends all of them");
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, leave, NULL);
		pthread_exit(NULL);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 21, "a process outlives its first thread");
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, idle, NULL);
		usleep(1000);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "a deadly signal ends all threads");
}

static void *exec_now(void *argument)
{
	char *const argv[] = {argument, "after", NULL};

	execv(argument, argv);
	return NULL;
}

static void test_exec(char *self)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t thread;

		pthread_create(&thread, NULL, idle, NULL);
		pthread_create(&thread, NULL, exec_now, self);
		for (;;)
			pause();
	}
	waitpid(pid, &status, 0);
	is(status, 0, "execve by a thread replaces the whole process, under its number");
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1)
		return syscall(SYS_gettid) != getpid();
	test_mutex();
	test_condition();
	test_signal();
	test_exit();
	test_exec(argv[0]);
	return tap_end();
}
