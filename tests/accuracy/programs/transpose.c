/* SPDX-License-Identifier: BSD-2-Clause */
/* Transposes a matrix whose rows are a power of two: all of a column meets in a few sets. */
#include "tests/accuracy/programs/program.h"

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 256);
	uint32_t *from = malloc(n * n * sizeof(*from)), *to = malloc(n * n * sizeof(*to));

	for (unsigned i = 0; i < n * n; i++)
		from[i] = program_random();
	for (unsigned round = 0; round < 4; round++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned j = 0; j < n; j++)
				to[j * n + i] = from[i * n + j] + round;
	return program_end(to[n + 1]);
}
