/* SPDX-License-Identifier: BSD-2-Clause */
/* Several processors: placement, migration, waking across processors, signals, storms of tasks.
 * Every wait is bounded by an alarm. */
#include "tests/guest/cpus.h"
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include "tests/guest/tap.h"

#define ROUNDS 200

static int cpus[CPUS_MAX], nr;

/* ---- placement ---- */

static void placement(void)
{
	int reached = 0, mask = 0;
	cpu_set_t set;

	for (int i = 0; i < nr; i++) {
		place(0, cpus[i]);
		reached += current_cpu() == cpus[i];
		sched_getaffinity(0, sizeof(set), &set);
		mask += CPU_COUNT(&set) == 1 && CPU_ISSET(cpus[i], &set);
	}
	ok(reached == nr, "a task moves to each processor at once");
	ok(mask == nr, "a task sees where it may run");
	CPU_ZERO(&set);
	ok(sched_setaffinity(0, sizeof(set), &set) == -1 && errno == EINVAL,
	   "no processor at all: EINVAL");
	ok(place(99999, cpus[0]) == -1 && errno == ESRCH, "no such task: ESRCH");
}

/* ---- all at the same time: threads that wait for each other without a system call ---- */

static atomic_int arrived;

static void *meet(void *cpu)
{
	place(0, *(int *)cpu);
	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < nr)
		;
	return NULL;
}

static void parallel(void)
{
	pthread_t threads[CPUS_MAX];

	for (int i = 0; i < nr; i++)
		start(&threads[i], meet, &cpus[i]);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	ok(atomic_load(&arrived) == nr, "threads run on all processors at once");
}

/* ---- waking across processors ---- */

static atomic_uint turn;

static void futex(atomic_uint *word, int op, unsigned value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Takes the turns of one parity. */
static void play(unsigned parity)
{
	for (unsigned now = atomic_load(&turn); now < 2 * ROUNDS; now = atomic_load(&turn)) {
		if (now % 2 != parity) {
			futex(&turn, FUTEX_WAIT, now);
			continue;
		}
		atomic_fetch_add(&turn, 1);
		futex(&turn, FUTEX_WAKE, 1);
	}
}

static void *player(void *unused)
{
	place(0, cpus[1]);
	play(1);
	return unused;
}

static void ping_pong_futex(void)
{
	pthread_t thread;

	place(0, cpus[0]);
	start(&thread, player, NULL);
	play(0);
	pthread_join(thread, NULL);
	ok(atomic_load(&turn) == 2 * ROUNDS, "a futex wakes across processors, %d times", ROUNDS);
}

static void ping_pong_pipe(void)
{
	int to[2], from[2], sum = 0;
	char byte = 0;

	if (pipe(to) || pipe(from))
		exit(1);
	if (!fork()) {
		place(0, cpus[1]);
		close(to[1]);
		while (read(to[0], &byte, 1) == 1) {
			byte++;
			if (write(from[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	for (int i = 0; i < 255; i++) {
		byte = (char)i;
		if (write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1)
			sum += (unsigned char)byte;
	}
	close(to[1]);
	close(to[0]);
	close(from[0]);
	close(from[1]);
	ok(sum == 255 * 256 / 2, "a pipe carries bytes to another processor and back");
	wait(NULL);
}

/* ---- migration under load: registers of all kinds follow ---- */

#define WORKERS 6
#define STEPS   60000

static struct worker {
	pthread_t thread;
	atomic_int tid, done;
	double result;
} workers[WORKERS];

static __thread uint64_t local; /* FS */

static double compute(void)
{
	double x = 0.5;

	for (int i = 0; i < STEPS; i++) {
		x = 3.7 * x * (1 - x);
		local += (uint64_t)(x * 1000);
		if (i % 1000 == 0)
			sched_yield();
	}
	return x + (double)local;
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	atomic_store(&worker->tid, (int)syscall(SYS_gettid));
	worker->result = compute();
	atomic_store(&worker->done, 1);
	return NULL;
}

static void migrations(void)
{
	double wanted = compute();
	int moves = 0, right = 0, left = WORKERS;

	for (int i = 0; i < WORKERS; i++)
		start(&workers[i].thread, work, &workers[i]);
	while (left) {
		left = 0;
		for (int i = 0; i < WORKERS; i++) {
			int tid = atomic_load(&workers[i].tid);

			left += !atomic_load(&workers[i].done);
			if (tid && !place(tid, cpus[moves % nr]))
				moves++;
		}
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		right += workers[i].result == wanted;
	}
	ok(right == WORKERS, "threads compute right while they are moved %d times", moves);
}

/* After the call the other task runs there, and nowhere else. */
static atomic_int seen_cpu, looks, stop_looking;

static void *look(void *tid)
{
	atomic_store((atomic_int *)tid, (int)syscall(SYS_gettid));
	while (!atomic_load(&stop_looking)) {
		atomic_store(&seen_cpu, current_cpu());
		atomic_fetch_add(&looks, 1);
	}
	return NULL;
}

static void obeyed(void)
{
	atomic_int tid = 0;
	int right = 0;
	pthread_t thread;

	place(0, cpus[0]);
	start(&thread, look, &tid);
	while (!atomic_load(&tid))
		sched_yield();
	for (int i = 0; i < 20; i++) {
		int cpu = cpus[1 + i % (nr - 1)], since;

		place(atomic_load(&tid), cpu);
		since = atomic_load(&looks);
		while (atomic_load(&looks) < since + 2)
			sched_yield();
		right += atomic_load(&seen_cpu) == cpu;
	}
	atomic_store(&stop_looking, 1);
	pthread_join(thread, NULL);
	ok(right == 20, "another thread is moved at once");
}

/* ---- fairness: three tasks, two processors ---- */

#define SHARERS 3

static struct sharer {
	pthread_t thread;
	atomic_long ns; /* of processor time */
} sharers[SHARERS];

static atomic_int stop_sharing;

static void *share(void *argument)
{
	struct sharer *sharer = argument;
	struct timespec used;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpus[0], &set);
	CPU_SET(cpus[1], &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!atomic_load(&stop_sharing)) {
		for (volatile int i = 0; i < 10000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
		atomic_store(&sharer->ns, used.tv_sec * 1000000000 + used.tv_nsec);
	}
	return NULL;
}

/* True if no task has less than two thirds of another's time. Where two tasks share a processor
 * permanently, and the third has one, it is never so. */
static bool shares_are_fair(void)
{
	long least = LONG_MAX, most = 0;

	for (int i = 0; i < SHARERS; i++) {
		long ns = atomic_load(&sharers[i].ns);

		least = ns < least ? ns : least;
		most = ns > most ? ns : most;
	}
	return most > 200000000 && 3 * least > 2 * most;
}

static void fairness(void)
{
	bool fair = false;

	for (int i = 0; i < SHARERS; i++)
		start(&sharers[i].thread, share, &sharers[i]);
	for (int i = 0; i < 500 && !fair; i++) {
		usleep(20000);
		fair = shares_are_fair();
	}
	atomic_store(&stop_sharing, 1);
	for (int i = 0; i < SHARERS; i++)
		pthread_join(sharers[i].thread, NULL);
	printf("# %ld, %ld and %ld us\n", sharers[0].ns / 1000, sharers[1].ns / 1000,
	       sharers[2].ns / 1000);
	ok(fair, "three tasks share two processors");
}

/* ---- signals to tasks on other processors ---- */

static atomic_int signalled;

static void on_signal(int signo)
{
	(void)signo;
	atomic_store(&signalled, 1);
}

static void *spin_until_signalled(void *unused)
{
	place(0, cpus[1]);
	atomic_store(&arrived, 1);
	while (!atomic_load(&signalled))
		;
	return unused;
}

static void signals(void)
{
	pthread_t thread;
	int status;
	pid_t child;

	signal(SIGUSR1, on_signal);
	atomic_store(&arrived, 0);
	start(&thread, spin_until_signalled, NULL);
	while (!atomic_load(&arrived))
		sched_yield();
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	ok(atomic_load(&signalled), "a signal interrupts a thread that computes elsewhere");

	child = fork();
	if (!child) {
		place(0, cpus[nr - 1]);
		for (;;)
			;
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "SIGKILL ends a process there");

	child = fork();
	if (!child) {
		atomic_store(&arrived, 0);
		for (int i = 1; i < nr; i++)
			start(&thread, meet, &cpus[i]);
		while (atomic_load(&arrived) < nr - 1)
			sched_yield();
		_exit(7); /* the others spin: one more is missing */
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "exit_group ends threads on every processor");
}

/* ---- storms ---- */

static void storm(char *self)
{
	char *const arguments[] = {self, "exit", NULL};
	int good = 0, status;

	for (int i = 0; i < 2 * nr; i++)
		if (!fork()) {
			int bad = 0;

			for (int k = 0; k < 10; k++) {
				pid_t child = fork();

				if (!child && k % 3 == 0)
					execv(self, arguments);
				if (!child)
					_exit(3);
				waitpid(child, &status, 0);
				bad += status != 3 << 8;
			}
			_exit(bad);
		}
	for (int i = 0; i < 2 * nr; i++)
		good += wait(&status) > 0 && status == 0;
	ok(good == 2 * nr, "fork, exec and exit on all processors at once");
}

static void *short_life(void *unused)
{
	volatile char stack[8192];

	stack[0] = 1;
	return (char *)unused + stack[0];
}

static void *make_threads(void *bad)
{
	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		void *result = NULL;

		if (pthread_create(&thread, NULL, short_life, (void *)(intptr_t)i))
			continue;
		pthread_join(thread, &result);
		atomic_fetch_add((atomic_int *)bad, (intptr_t)result != i + 1);
	}
	return NULL;
}

static void thread_storm(void)
{
	pthread_t threads[CPUS_MAX];
	atomic_int bad = 0;

	for (int i = 0; i < nr; i++)
		start(&threads[i], make_threads, &bad);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	ok(!bad, "threads come and go on all processors");
}

/* ---- time ---- */

static void clocks(void)
{
	struct timespec before, now;
	int back = 0;

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < 50 * nr; i++) {
		place(0, cpus[i % nr]);
		clock_gettime(CLOCK_MONOTONIC, &now);
		back += now.tv_sec < before.tv_sec ||
			(now.tv_sec == before.tv_sec && now.tv_nsec < before.tv_nsec);
		before = now;
	}
	ok(!back, "time does not go back from one processor to another");
}

/* ---- nothing runs that was not asked for ---- */

static void *alone(void *counts)
{
	struct timespec start_time, now;
	long *result = counts;

	place(0, cpus[1]);
	clock_gettime(CLOCK_MONOTONIC, &start_time);
	result[0] = interrupts("LOC:", cpus[1]);
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start_time.tv_sec) * 1000000000 + now.tv_nsec - start_time.tv_nsec <
		 50000000);
	result[1] = interrupts("LOC:", cpus[1]);
	return NULL;
}

static void quiet(void)
{
	long counts[2] = {0, 0};
	struct utsname system;
	pthread_t thread;

	place(0, cpus[0]);
	start(&thread, alone, counts);
	pthread_join(thread, NULL);
	printf("# %ld timer interrupts in 50 ms\n", counts[1] - counts[0]);
	uname(&system);
	if (strstr(system.version, "barepmu")) /* Linux's tick continues */
		ok(counts[0] >= 0 && counts[1] - counts[0] <= 1,
		   "a processor with one task takes no periodic interrupt");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return 3;
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(TEST_SECONDS);
	nr = usable_cpus(cpus);
	if (nr < 2)
		return tap_skip_all("one processor");
	placement();
	parallel();
	ping_pong_futex();
	ping_pong_pipe();
	migrations();
	obeyed();
	fairness();
	signals();
	storm(argv[0]);
	thread_storm();
	clocks();
	quiet();
	return tap_end();
}
