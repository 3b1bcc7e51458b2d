/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the ways to place queens, by recursion. */
#include "tests/accuracy/programs/program.h"

static uint64_t place(unsigned n, unsigned row, uint32_t columns, uint32_t left, uint32_t right)
{
	uint64_t ways = 0;

	if (row == n)
		return 1;
	for (unsigned i = 0; i < n; i++) {
		uint32_t bit = 1u << i;

		if (!((columns | left | right) & bit))
			ways +=
			    place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return ways;
}

int main(int argc, char **argv)
{
	return program_end(place(program_size(argc, argv, 8), 0, 0, 0, 0));
}
