/* SPDX-License-Identifier: BSD-2-Clause */
/* A sparse matrix, in compressed rows, times a vector: loads by an index, of all of a vector. */
#include "tests/accuracy/programs/program.h"

enum { ROW = 12, ROUNDS = 8 };

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 25000);
	uint32_t *columns = program_zeros(sizeof(*columns) * n * ROW);
	double *values = program_zeros(sizeof(*values) * n * ROW);
	double *from = program_zeros(sizeof(*from) * n), *to = program_zeros(sizeof(*to) * n);

	for (unsigned i = 0; i < n * ROW; i++) {
		uint32_t random = program_random();

		columns[i] = random & 3 ? (i / ROW + (random >> 2) % 64) % n : (random >> 2) % n;
		values[i] = random % 8;
	}
	for (unsigned i = 0; i < n; i++)
		from[i] = i % 5;
	for (unsigned round = 0; round < ROUNDS; round++) {
		double *kept = from;

		for (unsigned row = 0; row < n; row++) {
			double sum = 0;

			for (unsigned i = row * ROW; i < (row + 1) * ROW; i++)
				sum += values[i] * from[columns[i]];
			to[row] = sum / 40;
		}
		from = to;
		to = kept;
	}
	return program_end((uint64_t)from[n / 2]);
}
