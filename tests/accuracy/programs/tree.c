/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a binary search tree of random keys, then looks keys up: data-dependent branches. */
#include "tests/accuracy/programs/program.h"

struct node {
	uint32_t key;
	struct node *child[2];
};

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 15000);
	struct node *root = NULL, *nodes = program_zeros(n * sizeof(*nodes));
	uint64_t depth = 0;

	for (unsigned i = 0; i < n; i++) {
		struct node **at = &root;
		uint32_t key = program_random();

		while (*at)
			at = &(*at)->child[key > (*at)->key];
		*at = nodes++;
		(*at)->key = key;
	}
	for (unsigned i = 0; i < n; i++) {
		uint32_t key = program_random();

		for (struct node *at = root; at; at = at->child[key > at->key])
			depth++;
	}
	return program_end(depth);
}
