/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks a linked list whose elements are in random order in memory. */
#include "tests/accuracy/programs/program.h"

struct element {
	struct element *next;
	uint64_t value, unused[6];
};

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 20000);
	struct element *elements = malloc(n * sizeof(*elements));
	uint32_t *order = malloc(n * sizeof(*order));
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned j = program_random() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (unsigned i = 0; i < n; i++)
		elements[order[i]] =
		    (struct element){.next = &elements[order[(i + 1) % n]], .value = i};
	for (unsigned i = 0; i < 10 * n; i++) {
		sum += elements->value;
		elements = elements->next;
	}
	return program_end(sum);
}
