/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills a hash table with open addressing, then looks up present and absent keys. */
#include "tests/accuracy/programs/program.h"

static uint32_t *table, mask;

static unsigned slot_of(uint32_t key)
{
	unsigned slot = key * 2654435761u & mask;

	while (table[slot] && table[slot] != key)
		slot = (slot + 1) & mask;
	return slot;
}

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 60000);
	uint64_t found = 0;

	for (mask = 1; mask < 2 * n; mask *= 2)
		;
	table = program_zeros(mask * sizeof(*table));
	mask--;
	for (unsigned i = 0; i < n; i++) {
		uint32_t key = program_random() | 1;

		table[slot_of(key)] = key;
	}
	for (unsigned i = 0; i < n; i++)
		found += table[slot_of(program_random())] != 0;
	return program_end(found);
}
