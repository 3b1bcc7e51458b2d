/* SPDX-License-Identifier: BSD-2-Clause */
/* kinds: four functions that take processor time for different reasons: arithmetic, a pointer chase
 * through memory, unpredictable branches, a stream through memory. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/lib/workload.h"

#define DEFAULT_ROUNDS 4
#define COMPUTE_STEPS  1000000
#define CHASE_STEPS    50000
#define BRANCH_STEPS   200000
#define WORDS          (1u << 18) /* 2 MiB: more than a second-level cache has */

/* Keeps functions of different kinds separate. */
#define MEASURED __attribute__((noinline, noclone))

static uint64_t next[WORDS];

static uint64_t scramble(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

/* Links all words to one cycle in an order that no prefetcher predicts: a generator of full
 * period. */
static void thread(void)
{
	for (uint32_t i = 0; i < WORDS; i++)
		next[i] = (i * 1664525u + 1013904223u) % WORDS;
}

/* Arithmetic in which each step depends on the one before. */
MEASURED uint64_t compute(uint64_t x)
{
	for (unsigned i = 0; i < COMPUTE_STEPS; i++)
		x = x * 3 + i;
	return x;
}

/* Each load's address is the value of the load before. */
MEASURED uint64_t chase(uint64_t x)
{
	x %= WORDS;
	for (unsigned i = 0; i < CHASE_STEPS; i++)
		x = next[x];
	return x;
}

/* Branches, each on a random bit. */
MEASURED uint64_t branches(uint64_t x)
{
	uint64_t heads = 0;

	for (unsigned i = 0; i < BRANCH_STEPS; i++) {
		x = scramble(x | 1);
		if (x >> 40 & 1)
			__asm__ volatile("incq %0" : "+r"(heads));
	}
	return heads;
}

/* Reads all of the memory in order. */
MEASURED uint64_t stream(uint64_t x)
{
	for (uint32_t i = 0; i < WORDS; i++)
		x += next[i];
	return x;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : DEFAULT_ROUNDS;
	uint64_t x = 1;

	if (argc > 2 || !rounds) {
		fputs("usage: kinds [ROUNDS]\n", stderr);
		return STATUS_OURS;
	}
	thread();
	for (unsigned long i = 0; i < rounds; i++)
		x += compute(x) + chase(x) + branches(x) + stream(x);
	printf("%lu rounds: %016lx\n", rounds, (unsigned long)x);
	return 0;
}
