/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiplies matrices row by column: the second one's columns are far strides. */
#include "tests/accuracy/programs/program.h"

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 120);
	double *a = malloc(n * n * sizeof(*a)), *b = malloc(n * n * sizeof(*b));
	double *c = program_zeros(n * n * sizeof(*c));

	for (unsigned i = 0; i < n * n; i++) {
		a[i] = program_random() % 100;
		b[i] = program_random() % 100;
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++)
			for (unsigned k = 0; k < n; k++)
				c[i * n + j] += a[i * n + k] * b[k * n + j];
	return program_end(c[n * n / 2]);
}
