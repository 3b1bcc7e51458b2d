/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs functions in threads, for the tests of POSIX's promises about threads. */
#ifndef TESTS_GUEST_TOGETHER_H
#define TESTS_GUEST_TOGETHER_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 500 };

/* A deadline on the clock. */
static inline struct timespec after(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static inline struct timespec soon(long ms)
{
	return after(CLOCK_REALTIME, ms);
}

/* Runs one function in THREADS threads; returns how many returned NULL. */
static inline int together(void *(*run)(void *), void *argument)
{
	pthread_t threads[THREADS];
	int made = 0, good = 0;
	void *result;

	while (made < THREADS && !pthread_create(&threads[made], NULL, run, argument))
		made++;
	for (int i = 0; i < made; i++)
		good += pthread_join(threads[i], &result) == 0 && !result;
	return good;
}

#endif
