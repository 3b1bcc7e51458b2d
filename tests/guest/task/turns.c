/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns on one processor: nobody who works, sleeps, wakes or hands over, however often, leaves
 * another without his share. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define RUN_MS 200

static atomic_int stop;
static long sleep_ns;
static int ends[2][2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(void)
{
	for (volatile unsigned i = 0; i < 100; i++)
		;
}

static uint64_t own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct runner {
	void (*turn)(void);
	uint64_t rounds, ns;
};

static void *run(void *argument)
{
	struct runner *runner = argument;

	while (!stop) {
		work();
		if (runner->turn)
			runner->turn();
		runner->rounds++;
	}
	runner->ns = own_ns();
	return NULL;
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = sleep_ns}, NULL);
}

static void lock(void)
{
	pthread_mutex_lock(&mutex);
	work();
	pthread_mutex_unlock(&mutex);
}

static void yield(void)
{
	sched_yield();
}

static void ping(void)
{
	char byte = 0;

	write(ends[0][1], &byte, 1);
	read(ends[1][0], &byte, 1);
}

static void pong(void)
{
	char byte = 0;

	read(ends[0][0], &byte, 1);
	write(ends[1][1], &byte, 1);
}

/* Runs what takes turns beside one who only works; that one's share of the processor, in percent.
 */
static long share(void (*first)(void), void (*second)(void), const char *name)
{
	struct runner runners[3] = {{.turn = NULL}, {.turn = first}, {.turn = second}};
	unsigned count = second ? 3 : 2;
	pthread_t threads[3];
	uint64_t sum = 0;

	stop = 0;
	for (unsigned i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run, &runners[i]);
	usleep(RUN_MS * 1000);
	stop = 1;
	for (unsigned i = 0; second == pong && i < 1;
	     i++) { /* neither waits for the other for ever */
		write(ends[0][1], "", 1);
		write(ends[1][1], "", 1);
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += runners[i].ns;
	}
	printf("# %s: who works %lu rounds, others %lu and %lu\n", name, runners[0].rounds,
	       runners[1].rounds, runners[2].rounds);
	return sum ? (long)(runners[0].ns * 100 / sum) : -1;
}

static uint64_t longest_ns; /* between two looks at the clock */

static void *look_at_clock(void *unused)
{
	struct timespec before, now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (; !stop; before = now) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		ns = (uint64_t)(now.tv_sec - before.tv_sec) * 1000000000 + (uint64_t)now.tv_nsec -
		     (uint64_t)before.tv_nsec;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	return unused;
}

/* How long who works waits for one who asks for so much memory in one call, in microseconds. */
static long wait_for_populate(size_t bytes)
{
	pthread_t looker;
	void *memory;

	stop = 0;
	pthread_create(&looker, NULL, look_at_clock, NULL);
	usleep(1000);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	stop = 1;
	pthread_join(looker, NULL);
	return memory == MAP_FAILED ? -1 : (long)(longest_ns / 1000);
}

static void one_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(void)
{
	static const long naps[] = {1, 250, 500, 1000, 10000};
	long percent, us;

	one_processor();
	pipe(ends[0]);
	pipe(ends[1]);
	for (unsigned i = 0; i < sizeof(naps) / sizeof(naps[0]); i++) {
		char name[32];

		sleep_ns = naps[i];
		sprintf(name, "naps of %ld ns", sleep_ns);
		percent = share(nap, NULL, name);
		ok(percent >= 30, "beside %s: %ld %%", name, percent);
	}
	percent = share(yield, NULL, "yielding");
	ok(percent >= 30 && percent <= 75, "beside one who yields: %ld %%", percent);
	percent = share(ping, pong, "a pair over pipes");
	ok(percent >= 20 && percent <= 60, "beside a pair that wakes each other: %ld %%", percent);
	percent = share(lock, lock, "a pair with a lock");
	ok(percent >= 20 && percent <= 60, "beside a pair with a lock: %ld %%", percent);
	us = wait_for_populate(96 << 20);
	ok(us > 0 && us < 8000, "beside one who enters 96 MiB at once: %ld us at a time", us);
	return tap_end();
}
