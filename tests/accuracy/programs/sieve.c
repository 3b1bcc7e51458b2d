/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts primes: stores at every stride. */
#include "tests/accuracy/programs/program.h"

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 500000);
	uint8_t *composite = program_zeros(n);
	uint64_t primes = 0;

	for (unsigned i = 2; i < n; i++) {
		if (composite[i])
			continue;
		primes++;
		for (uint64_t j = (uint64_t)i * i; j < n; j += i)
			composite[j] = 1;
	}
	return program_end(primes);
}
