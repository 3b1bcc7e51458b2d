/* SPDX-License-Identifier: BSD-2-Clause */
/* A B-tree of random keys, and look-ups in it: more nodes than caches hold, branches by chance. */
#include "tests/accuracy/programs/program.h"

enum { KEYS = 15 };

struct node {
	uint32_t nr, leaf;
	uint32_t keys[KEYS];
	struct node *child[KEYS + 1];
};

static struct node *free_nodes;

static struct node *new_node(uint32_t leaf)
{
	free_nodes->leaf = leaf;
	return free_nodes++;
}

static unsigned position(const struct node *node, uint32_t key)
{
	unsigned i = 0;

	while (i < node->nr && key > node->keys[i])
		i++;
	return i;
}

/* The full child goes into two halves; its middle key comes up. The node has room. */
static void split(struct node *node, unsigned at)
{
	struct node *left = node->child[at], *right = new_node(left->leaf);

	right->nr = left->nr = KEYS / 2;
	memcpy(right->keys, left->keys + KEYS / 2 + 1, sizeof(*right->keys) * right->nr);
	memcpy(right->child, left->child + KEYS / 2 + 1, sizeof(*right->child) * (right->nr + 1));
	for (unsigned i = node->nr++; i > at; i--) {
		node->keys[i] = node->keys[i - 1];
		node->child[i + 1] = node->child[i];
	}
	node->keys[at] = left->keys[KEYS / 2];
	node->child[at + 1] = right;
}

static struct node *insert(struct node *root, uint32_t key)
{
	struct node *node = root;
	unsigned at;

	if (root->nr == KEYS) {
		node = new_node(0);
		node->child[0] = root;
		root = node;
		split(root, 0);
	}
	while (!node->leaf) {
		at = position(node, key);
		if (node->child[at]->nr == KEYS) {
			split(node, at);
			at += key > node->keys[at];
		}
		node = node->child[at];
	}
	at = position(node, key);
	for (unsigned i = node->nr++; i > at; i--)
		node->keys[i] = node->keys[i - 1];
	node->keys[at] = key;
	return root;
}

static unsigned find(const struct node *node, uint32_t key)
{
	for (;;) {
		unsigned at = position(node, key);

		if (at < node->nr && node->keys[at] == key)
			return 1;
		if (node->leaf)
			return 0;
		node = node->child[at];
	}
}

int main(int argc, char **argv)
{
	unsigned n = program_size(argc, argv, 160000), found = 0;
	struct node *root;

	free_nodes = program_zeros(sizeof(*free_nodes) * (n / 4 + 16));
	root = new_node(1);
	for (unsigned i = 0; i < n; i++)
		root = insert(root, program_random());
	for (unsigned i = 0; i < 2 * n; i++)
		found += find(root, program_random());
	return program_end(found);
}
