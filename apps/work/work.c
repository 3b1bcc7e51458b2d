/* SPDX-License-Identifier: BSD-2-Clause */
/* work: a workload with known shares: heavy 60 %, medium 30 %, light 10 %. */
#include <stdio.h>
#include <stdlib.h>

#include "apps/lib/workload.h"

#define DEFAULT_ROUNDS 1000
#define DEPTH          8 /* calls between a round and light: something for callchains to show */

/* Limits of 10 % of a round in steps. Random, so that no sampling period synchronises with it. */
#define UNIT_MIN  256
#define UNIT_MASK 1023

/* Keeps functions with other shares separate. */
#if __has_attribute(noipa)
#define MEASURED __attribute__((noipa))
#else
#define MEASURED __attribute__((noinline))
#endif

/*
 * One chain of dependent instructions for all functions, so that time is proportional to the steps.
 * The counter is on the stack, so that the functions keep frames and call chains show their
 * callers.
 */
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x, unsigned steps)
{
	for (volatile unsigned left = steps; left; left--)
		x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ul;
	return x;
}

MEASURED unsigned long heavy(unsigned long x, unsigned unit)
{
	return mix(x, 6 * unit);
}

MEASURED unsigned long medium(unsigned long x, unsigned unit)
{
	return mix(x, 3 * unit);
}

MEASURED unsigned long light(unsigned long x, unsigned unit)
{
	return mix(x, unit);
}

MEASURED unsigned long descend(unsigned long x, unsigned unit, int depth)
{
	return (depth ? descend(x, unit, depth - 1) : light(x, unit)) + 1;
}

MEASURED unsigned long do_round(unsigned long x)
{
	unsigned unit = UNIT_MIN + (x >> 40 & UNIT_MASK);

	return descend(medium(heavy(x, unit), unit), unit, DEPTH);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : DEFAULT_ROUNDS, x = 1;

	if (argc > 2 || !rounds) {
		fputs("usage: work [ROUNDS]\n", stderr);
		return STATUS_OURS;
	}
	for (unsigned long i = 0; i < rounds; i++)
		x = do_round(x);
	printf("%lu rounds: %016lx\n", rounds, x);
	return 0;
}
