/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiplies matrices by blocks of 16 rows and columns, which stay in L1. */
#include "tests/accuracy/programs/program.h"

enum { BLOCK = 16 };

static unsigned n;
static double *a, *b, *c;

static void block(unsigned i0, unsigned j0, unsigned k0)
{
	for (unsigned i = i0; i < i0 + BLOCK; i++)
		for (unsigned k = k0; k < k0 + BLOCK; k++)
			for (unsigned j = j0; j < j0 + BLOCK; j++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv)
{
	n = program_size(argc, argv, 128);
	a = malloc(n * n * sizeof(*a));
	b = malloc(n * n * sizeof(*b));
	c = program_zeros(n * n * sizeof(*c));
	for (unsigned i = 0; i < n * n; i++) {
		a[i] = program_random() % 100;
		b[i] = program_random() % 100;
	}
	for (unsigned i = 0; i < n; i += BLOCK)
		for (unsigned k = 0; k < n; k += BLOCK)
			for (unsigned j = 0; j < n; j += BLOCK)
				block(i, j, k);
	return program_end(c[n * n / 2]);
}
