/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that share lines, and that do not: prints "NAME NS" of each work that is named, for
 * tests/e2e/core/core_sharing.t: what a round of one thread takes (false, padded), or a round of
 * any (atomic), or one munmap() beside threads that compute. usage: core_sharing THREADS WORK...
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { THREADS_MAX = 16, WORD = 8, PADDED = 128, ROUNDS = 30000, MAPS = 20 };

static char words[(THREADS_MAX + 1) * PADDED] __attribute__((aligned(4096)));
static unsigned threads, ready;
static volatile bool go, stop;

struct work {
	const char *name;
	void (*first)(unsigned thread);  /* of the first thread, timed */
	void (*others)(unsigned thread); /* of the other threads */
	unsigned rounds;                 /* in that time, of all together */
};

static void count(volatile uint64_t *word)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		(*word)++;
}

static void count_together(unsigned thread)
{
	count((uint64_t *)(words + thread * WORD));
}

static void count_apart(unsigned thread)
{
	count((uint64_t *)(words + thread * PADDED));
}

static void add_atomically(unsigned thread)
{
	(void)thread;
/* A turn ends with the loop's block, which gcc 14 would fill with two additions. */
#pragma GCC unroll 1
	for (unsigned i = 0; i < ROUNDS / 10; i++)
		__atomic_add_fetch((uint64_t *)words, 1, __ATOMIC_SEQ_CST);
}

static void map_and_unmap(unsigned thread)
{
	(void)thread;
	for (unsigned i = 0; i < MAPS; i++) {
		char *page =
		    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*page = 1;
		munmap(page, 4096);
	}
	stop = true;
}

static void compute(unsigned thread)
{
	while (!stop)
		for (int i = 0; i < 100; i++)
			__asm__ volatile("imul %0, %0" : "+r"(thread));
}

/* ---- locks around a counter ---- */

static struct {
	unsigned word __attribute__((aligned(PADDED)));
	unsigned next __attribute__((aligned(PADDED)));
	unsigned served __attribute__((aligned(PADDED)));
	struct waiter *last __attribute__((aligned(PADDED)));
	volatile uint64_t counter __attribute__((aligned(PADDED)));
} lock;

static struct waiter {
	struct waiter *next;
	bool waits;
} __attribute__((aligned(PADDED))) waiters[THREADS_MAX];

static void count_by_test_and_set(unsigned thread)
{
	(void)thread;
	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		while (__atomic_exchange_n(&lock.word, 1, __ATOMIC_ACQUIRE))
			__builtin_ia32_pause();
		lock.counter++;
		__atomic_store_n(&lock.word, 0, __ATOMIC_RELEASE);
	}
}

static void count_by_ticket(unsigned thread)
{
	(void)thread;
	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		unsigned own = __atomic_fetch_add(&lock.next, 1, __ATOMIC_RELAXED);

		while (__atomic_load_n(&lock.served, __ATOMIC_ACQUIRE) != own)
			__builtin_ia32_pause();
		lock.counter++;
		__atomic_store_n(&lock.served, own + 1, __ATOMIC_RELEASE);
	}
}

/* Mellor-Crummey and Scott (1991): each waits for a word of its own. */
static void mcs_take(struct waiter *own)
{
	struct waiter *before;

	own->next = NULL;
	own->waits = true;
	before = __atomic_exchange_n(&lock.last, own, __ATOMIC_ACQ_REL);
	if (!before)
		return;
	__atomic_store_n(&before->next, own, __ATOMIC_RELEASE);
	while (__atomic_load_n(&own->waits, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void mcs_give(struct waiter *own)
{
	struct waiter *next = __atomic_load_n(&own->next, __ATOMIC_ACQUIRE), *expected = own;

	if (!next) {
		if (__atomic_compare_exchange_n(&lock.last, &expected, NULL, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
		while (!(next = __atomic_load_n(&own->next, __ATOMIC_ACQUIRE)))
			__builtin_ia32_pause();
	}
	__atomic_store_n(&next->waits, false, __ATOMIC_RELEASE);
}

static void count_by_mcs(unsigned thread)
{
	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		mcs_take(&waiters[thread]);
		lock.counter++;
		mcs_give(&waiters[thread]);
	}
}

/* ---- one line from a producer to a consumer ---- */

static struct {
	uint64_t value;
	bool full;
} slot __attribute__((aligned(PADDED)));

static void produce(unsigned thread)
{
	(void)thread;
	for (unsigned i = 0; i < ROUNDS / 10; i++) {
		while (__atomic_load_n(&slot.full, __ATOMIC_ACQUIRE))
			__builtin_ia32_pause();
		slot.value = i;
		__atomic_store_n(&slot.full, true, __ATOMIC_RELEASE);
	}
}

static void consume(unsigned thread)
{
	for (unsigned i = 0; thread == 1 && i < ROUNDS / 10; i++) {
		while (!__atomic_load_n(&slot.full, __ATOMIC_ACQUIRE))
			__builtin_ia32_pause();
		if (slot.value != i)
			abort();
		__atomic_store_n(&slot.full, false, __ATOMIC_RELEASE);
	}
}

static const struct work works[] = {
    {"tas", count_by_test_and_set, count_by_test_and_set, ROUNDS / 10},
    {"ticket", count_by_ticket, count_by_ticket, ROUNDS / 10},
    {"mcs", count_by_mcs, count_by_mcs, ROUNDS / 10},
    {"line", produce, consume, ROUNDS / 10},
    {"false", count_together, count_together, ROUNDS},
    {"padded", count_apart, count_apart, ROUNDS},
    {"atomic", add_atomically, add_atomically, ROUNDS / 10},
    {"munmap", map_and_unmap, compute, MAPS},
};

static const struct work *chosen;

static void *begin(void *number)
{
	__atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST);
	while (!go)
		__builtin_ia32_pause();
	chosen->others((unsigned)(uintptr_t)number);
	return NULL;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void run(const struct work *work)
{
	pthread_t others[THREADS_MAX];
	uint64_t start, end;

	chosen = work;
	ready = 0;
	go = stop = false;
	for (uintptr_t i = 1; i < threads; i++)
		pthread_create(&others[i], NULL, begin, (void *)i);
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < threads - 1)
		__builtin_ia32_pause();
	start = now_ns();
	go = true;
	work->first(0);
	end = now_ns();
	for (unsigned i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	if (work->others != compute) /* the end of 15 threads takes as long as 20 munmap() */
		end = now_ns();
	printf("%s %.1f\n", work->name, (double)(end - start) / work->rounds);
}

int main(int argc, char **argv)
{
	threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	for (int i = 2; i < argc; i++)
		for (size_t w = 0; w < sizeof(works) / sizeof(works[0]); w++)
			if (!strcmp(argv[i], works[w].name))
				run(&works[w]);
	return 0;
}
