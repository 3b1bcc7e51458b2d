/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times code whose cycles are known by RDTSC alone, and prints of each "NAME TICKS", for
 * tests/e2e/core/core_time.t: the difference to an empty measurement, between two LFENCEs and by
 * the sequence CPUID, RDTSC, ..., RDTSCP, CPUID; then what clocks say of a sleep.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "core_chase.h"

#define ROUNDS 5 /* the first ones find caches and predictors cold */

enum code { NOTHING, LOAD, MULTIPLY };

static char memory_line[4 * LINE] __attribute__((aligned(PAGE)));
static char ways[32 * PAGE] __attribute__((aligned(PAGE)));

static inline uint64_t ticks_fenced(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

/* In place: no call is to be timed with it. */
static inline __attribute__((always_inline)) void execute(enum code code)
{
	if (code == LOAD)
		__asm__ volatile("mov %0, %%rax" ::"m"(memory_line[LINE]) : "rax");
	else if (code == MULTIPLY)
		__asm__ volatile(".rept 100\n imul %%rax, %%rax\n .endr" ::: "rax");
}

static inline __attribute__((always_inline)) uint64_t fenced(enum code code)
{
	uint64_t start = ticks_fenced();

	execute(code);
	return ticks_fenced() - start;
}

static inline __attribute__((always_inline)) uint64_t serialised(enum code code)
{
	uint32_t low, high, low_after, high_after;

	__asm__ volatile("xor %%eax, %%eax; cpuid; rdtsc"
			 : "=a"(low), "=d"(high)::"rbx", "rcx", "memory");
	execute(code);
	__asm__ volatile("rdtscp; mov %%eax, %%esi; mov %%edx, %%edi; xor %%eax, %%eax; cpuid"
			 : "=S"(low_after), "=D"(high_after)::"rax", "rbx", "rcx", "rdx", "memory");
	return ((uint64_t)high_after << 32 | low_after) - ((uint64_t)high << 32 | low);
}

static void flush(void)
{
	__asm__ volatile("clflush %0; mfence" ::"m"(memory_line[LINE]) : "memory");
}

/* The last of some rounds, less the last of nothing. */
#define TELL(name, by, code, flushes)                            \
	do {                                                     \
		uint64_t empty = 0, ticks = 0;                   \
                                                                 \
		for (int i = 0; i < ROUNDS; i++) {               \
			empty = by(NOTHING);                     \
			if (flushes)                             \
				flush();                         \
			ticks = by(code);                        \
		}                                                \
		printf("%s %ld\n", name, (long)(ticks - empty)); \
	} while (0)

/* Lines of one set of a cache whose ways are a page apart: a pass over `nr` of them in a chain. */
static void tell_conflicts(const char *name, unsigned nr)
{
	uint64_t start, ticks = 0;
	char *at;

	for (unsigned i = 0; i < nr; i++)
		*(char **)(ways + i * PAGE) = ways + (i + 1) % nr * PAGE;
	for (int i = 0; i < ROUNDS; i++) {
		at = ways;
		start = ticks_fenced();
		for (unsigned n = 0; n < 20 * nr; n++)
			__asm__ volatile("mov (%0), %0" : "+r"(at)::"memory");
		ticks = ticks_fenced() - start;
	}
	printf("%s %.1f\n", name, (double)ticks / (20 * nr));
}

static void tell_chase(const char *name, unsigned kib)
{
	const struct chase chase = {.kib = kib};
	unsigned lines = kib * 1024 / LINE, steps = 4000;
	char *buffer = make(&chase), *at = run(buffer, lines, 0);
	uint64_t start = ticks_fenced();

	at = run(at, steps, 0);
	printf("%s %.1f\n", name, (double)(ticks_fenced() - start) / steps);
	munmap(buffer, lines * LINE);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void tell_sleep(void)
{
	const struct timespec wait = {.tv_nsec = 10000000};
	int64_t start, took = 0;

	for (int i = 0; i < ROUNDS; i++) {
		start = now_ns();
		nanosleep(&wait, NULL);
		took = now_ns() - start;
	}
	printf("sleep %ld\n", (long)took);
}

int main(void)
{
	TELL("hit", fenced, LOAD, false);
	TELL("flushed", fenced, LOAD, true);
	TELL("multiply", fenced, MULTIPLY, false);
	TELL("serialised_hit", serialised, LOAD, false);
	TELL("serialised_flushed", serialised, LOAD, true);
	TELL("serialised_multiply", serialised, MULTIPLY, false);
	tell_conflicts("ways8", 8);
	tell_conflicts("ways10", 10);
	tell_chase("chase16K", 16);
	tell_chase("chase128K", 128);
	tell_chase("chase1M", 1024);
	tell_sleep();
	return 0;
}
