/* SPDX-License-Identifier: BSD-2-Clause */
/* The lives of threads by POSIX: cancellation, values of their own, stacks, detachment, signals.
 * Uses only the C library. */
#define _GNU_SOURCE
#include <dirent.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"
#include "tests/guest/task/together.h"

static atomic_int cleaned, reached;
static sem_t begun;

static void clean(void *amount)
{
	cleaned += (int)(intptr_t)amount;
}

static void *sleep_long(void *unused)
{
	pthread_cleanup_push(clean, (void *)1);
	pthread_cleanup_push(clean, (void *)10);
	sem_post(&begun);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return unused;
}

static void *compute_long(void *unused)
{
	volatile long n = 0;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(clean, (void *)100);
	sem_post(&begun);
	for (;;)
		n++;
	pthread_cleanup_pop(0);
	return unused;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void release(void *mutex)
{
	cleaned += 1000;
	pthread_mutex_unlock(mutex);
}

static void *wait_long(void *unused)
{
	pthread_mutex_lock(&held);
	pthread_cleanup_push(release, &held);
	sem_post(&begun);
	for (;;)
		pthread_cond_wait(&never, &held);
	pthread_cleanup_pop(0);
	return unused;
}

static void *refuse_first(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_post(&begun);
	usleep(20000);
	reached++;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
	reached += 10;
	return unused;
}

static void *read_long(void *pipe)
{
	char byte;

	sem_post(&begun);
	return read(*(int *)pipe, &byte, 1) == 1 ? NULL : "failed";
}

/* Cancels a thread once it has begun. Returns whether that ended it. */
static bool cancelled(void *(*run)(void *), void *argument)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, run, argument);
	sem_wait(&begun);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	return result == PTHREAD_CANCELED;
}

static void test_cancel(void)
{
	int ends[2], rounds = 0;

	sem_init(&begun, 0, 0);
	ok(cancelled(sleep_long, NULL) && cleaned == 11,
	   "a sleeping thread is cancelled: its clean-up handlers run");
	cleaned = 0;
	ok(cancelled(compute_long, NULL) && cleaned == 100,
	   "a computing one as well, where it allows it");
	cleaned = 0;
	ok(cancelled(wait_long, NULL) && cleaned == 1000 && !pthread_mutex_trylock(&held),
	   "a thread cancelled in pthread_cond_wait holds the mutex while it cleans up");
	ok(cancelled(refuse_first, NULL) && reached == 1,
	   "a thread that refused is cancelled when it allows it");
	if (pipe(ends))
		exit(1);
	ok(cancelled(read_long, ends), "a read of an empty pipe is cancelled");
	while (rounds < 40 && cancelled(compute_long, NULL))
		rounds++;
	is(rounds, 40, "forty threads are cancelled at any instruction");
}

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int destroyed, initialised;
static _Thread_local char local[5000] = "start";

static void destroy(void *value)
{
	static _Thread_local int rounds;

	destroyed++;
	if (!rounds++)
		pthread_setspecific(key, value);
}

static void initialise(void)
{
	usleep(5000);
	initialised++;
}

static void *use_key(void *value)
{
	pthread_once(&once, initialise);
	if (initialised != 1 || pthread_getspecific(key) || strcmp(local, "start") != 0)
		return "not fresh";
	strcpy(local, "changed");
	pthread_setspecific(key, value);
	sched_yield();
	return pthread_getspecific(key) == value ? NULL : "lost";
}

static void test_keys(void)
{
	pthread_key_create(&key, destroy);
	is(together(use_key, &key), THREADS,
	   "each thread has its own values and thread-local variables");
	is(destroyed, 2 * THREADS, "destructors run, again where they set a value");
	is(initialised, 1, "pthread_once calls once");
	ok(!strcmp(local, "start"), "the first thread's variable is untouched");
}

static void *tell_stack(void *wanted)
{
	char here[64 * 1024];
	pthread_attr_t attributes;
	void *low = NULL;
	size_t bytes = 0;

	memset(here, 1, sizeof(here));
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &bytes);
	pthread_attr_destroy(&attributes);
	*(size_t *)wanted = bytes;
	return here[5] == 1 && here > (char *)low && here < (char *)low + bytes ? NULL
										: "elsewhere";
}

static unsigned threads_now(void)
{
	DIR *directory = opendir("/proc/self/task");
	unsigned entries = 0;

	while (readdir(directory))
		entries++;
	closedir(directory);
	return entries - 2; /* "." and ".." */
}

/* Waits until the other threads are gone: one of them may still be on its way out. */
static bool alone(void)
{
	for (unsigned i = 0; i < 10000 && threads_now() > 1; i++)
		usleep(1000);
	return threads_now() == 1;
}

static void *note_detached(void *semaphore)
{
	sem_post(semaphore);
	return NULL;
}

static void test_attributes(void)
{
	size_t size = (size_t)256 * 1024, told = 0;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	void *result = "not run", *low = NULL;
	pthread_t thread;
	int made = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, size);
	pthread_create(&thread, &attributes, tell_stack, &told);
	pthread_join(thread, &result);
	ok(!result && stack[size - 1 - 4096 * 4] != 2, "a thread runs on the stack it is given");
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 3 * size);
	pthread_create(&thread, &attributes, tell_stack, &told);
	pthread_join(thread, &result);
	ok(!result && told >= 3 * size && told < 4 * size,
	   "a thread's stack has the size that was asked for");
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &told);
	ok((char *)&told > (char *)low && (char *)&told < (char *)low + told,
	   "the first thread knows its own");
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sem_init(&begun, 0, 0);
	while (made < 500 && !pthread_create(&thread, &attributes, note_detached, &begun)) {
		sem_wait(&begun);
		made++;
	}
	is(made, 500, "five hundred detached threads come and go");
	ok(alone(), "and the last of them ends");
}

static pthread_t target;
static atomic_int received;

static void on_signal(int signo, siginfo_t *info, void *unused)
{
	(void)unused;
	if (pthread_equal(pthread_self(), target) && info->si_pid == getpid())
		received += signo;
}

static void *receive(void *unused)
{
	sem_post(&begun);
	while (received < SIGUSR2)
		usleep(1000);
	return unused;
}

static void *wait_signal(void *set)
{
	int signo = 0;

	sem_post(&begun);
	return sigwait(set, &signo) == 0 && signo == SIGUSR1 ? NULL : "another";
}

static void test_signals(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	void *result = "not run";
	sigset_t set;

	sigaction(SIGUSR2, &action, NULL);
	pthread_create(&target, NULL, receive, NULL);
	sem_wait(&begun);
	is(pthread_kill(target, SIGUSR2), 0, "pthread_kill");
	pthread_join(target, &result);
	ok(!result && received == SIGUSR2, "reaches its thread");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&target, NULL, wait_signal, &set);
	sem_wait(&begun);
	kill(getpid(), SIGUSR1);
	pthread_join(target, &result);
	ok(!result, "a signal to the process reaches the thread that waits for it");
}

static atomic_int waited, handled;

static void *wait_realtime(void *set)
{
	int signo = 0;

	sem_post(&begun);
	waited += !sigwait(set, &signo) && signo == SIGRTMIN;
	return NULL;
}

/* Two signals come before the first thread that waits has run: the second is for the other one. */
static void test_two_waiters(void)
{
	pthread_t waiters[2];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (unsigned i = 0; i < 2; i++) {
		pthread_create(&waiters[i], NULL, wait_realtime, &set);
		sem_wait(&begun);
	}
	usleep(10000); /* they sleep */
	kill(getpid(), SIGRTMIN);
	kill(getpid(), SIGRTMIN);
	for (unsigned i = 0; i < 5000 && waited < 2; i++)
		usleep(1000);
	is(waited, 2, "two signals to the process wake two threads that wait");
	for (unsigned i = waited; i < 2; i++) /* a lost one */
		pthread_kill(waiters[i], SIGRTMIN);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(waiters[i], NULL);
}

static void count_handled(int signo)
{
	(void)signo;
	handled++;
}

static void *wait_user(void *set)
{
	const struct timespec most = {.tv_sec = 10};

	sem_post(&begun);
	while (sigtimedwait(set, NULL, &most) == SIGUSR1)
		waited++;
	return NULL;
}

/* Takes the signal, or ends without. */
static void *end_at_once(void *set)
{
	pthread_sigmask(SIG_UNBLOCK, set, NULL);
	sem_post(&begun);
	return NULL;
}

/* A signal is chosen for a thread that ends: the one that waits gets it. */
static void test_end_without(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int sent = 0;
	sigset_t set;

	signal(SIGUSR1, count_handled);
	waited = handled = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_create(&target, NULL, wait_user, &set);
	sem_wait(&begun);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	while (sent < 200 && waited + handled == sent) {
		pthread_create(&thread, &attributes, end_at_once, &set);
		sem_wait(&begun);
		for (volatile int i = 0; i < sent % 50 * 100; i++)
			;
		kill(getpid(), SIGUSR1);
		sent++;
		for (unsigned i = 0; i < 5000 && waited + handled < sent; i++)
			usleep(i < 50 ? 20 : 1000);
	}
	is(waited + handled, 200, "a signal is taken, also when a thread ends meanwhile");
	pthread_cancel(target);
	pthread_join(target, NULL);
}

/* A process with threads that compute executes this program, which then waits forever. */
static void execute_among_threads(void)
{
	pthread_t thread;

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&thread, NULL, compute_long, NULL);
	execl("/proc/self/exe", "thread_lives", "wait", (char *)NULL);
	_exit(1);
}

/* SIGKILL ends a process at every moment of its execve, also while that ends the other threads. */
static void test_kill_in_exec(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	int killed = 0, status;

	for (int turns = 0; turns < 40; turns++) {
		pid_t child = fork(), ended = 0;

		if (!child)
			execute_among_threads();
		for (int i = 0; i < turns; i++)
			sched_yield();
		kill(child, SIGKILL);
		/* Seconds: several processors' time is the host's, and the child's threads wait for
		 * theirs. */
		for (unsigned i = 0; i < 5000 && ended != child; i++) {
			ended = waitpid(child, &status, WNOHANG);
			if (ended != child)
				nanosleep(&nap, NULL);
		}
		killed += ended == child && WIFSIGNALED(status);
		kill(child, SIGKILL);
	}
	is(killed, 40, "SIGKILL ends a process with threads while it executes");
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		for (;;)
			pause();
	alarm(500); /* the host may be slow */
	test_kill_in_exec();
	test_cancel();
	test_keys();
	test_attributes();
	test_signals();
	test_two_waiters();
	test_end_without();
	return tap_end();
}
