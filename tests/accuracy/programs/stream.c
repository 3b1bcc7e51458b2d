/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds arrays that are larger than the caches, element by element, several times. */
#include "tests/accuracy/programs/program.h"

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 60000);
	double *a = malloc(n * sizeof(*a)), *b = malloc(n * sizeof(*b)),
	       *c = malloc(n * sizeof(*c));

	for (unsigned i = 0; i < n; i++) {
		a[i] = i;
		b[i] = n - i;
	}
	for (unsigned round = 0; round < 10; round++)
		for (unsigned i = 0; i < n; i++)
			c[i] = a[i] + round * b[i];
	return program_end(c[n / 3]);
}
