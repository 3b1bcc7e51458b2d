/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts numbers by the C library's qsort. */
#include "tests/accuracy/programs/program.h"

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 20000);
	uint32_t *numbers = malloc(n * sizeof(*numbers));

	for (unsigned i = 0; i < n; i++)
		numbers[i] = program_random();
	qsort(numbers, n, sizeof(*numbers), by_value);
	return program_end(numbers[n / 2]);
}
