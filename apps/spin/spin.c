/* SPDX-License-Identifier: BSD-2-Clause */
/* spin: a loop whose instructions are known exactly: 2 for each of N iterations. */
#include <stdio.h>
#include <stdlib.h>

#include "apps/lib/workload.h"

#define DEFAULT_ITERATIONS 1000000

/* Runs the loop of loop.asm; `iterations` is at least 1. */
void spin_loop(unsigned long iterations);

int main(int argc, char **argv)
{
	unsigned long iterations = argc > 1 ? strtoul(argv[1], NULL, 0) : DEFAULT_ITERATIONS;

	if (argc > 2 || !iterations) {
		fputs("usage: spin [ITERATIONS]\n", stderr);
		return STATUS_OURS;
	}
	spin_loop(iterations);
	printf("%lu iterations of 2 instructions\n", iterations);
	return 0;
}
