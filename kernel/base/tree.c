/* SPDX-License-Identifier: BSD-2-Clause */
/* Treaps: ordered by key from left to right, by a random priority from the root down. */
#include "kernel/base/tree.h"

/* xorshift32: never 0. */
static uint32_t next_priority(void)
{
	static uint32_t state = 2463534242u;
	uint32_t x = __atomic_load_n(&state, __ATOMIC_RELAXED);

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	__atomic_store_n(&state, x, __ATOMIC_RELAXED);
	return x;
}

/* Returns the pointer that points to the node. */
static struct tree_node **link_to(struct tree *tree, struct tree_node *node)
{
	struct tree_node *parent = node->parent;

	if (!parent)
		return &tree->root;
	return parent->left == node ? &parent->left : &parent->right;
}

static void update(struct tree *tree, struct tree_node *node)
{
	if (tree->update)
		tree->update(node);
}

/* Rotates: the node takes its parent's position, the parent moves below it. */
static void rotate_up(struct tree *tree, struct tree_node *node)
{
	struct tree_node *parent = node->parent, *middle;

	*link_to(tree, parent) = node;
	node->parent = parent->parent;
	parent->parent = node;
	if (parent->left == node) {
		middle = node->right;
		parent->left = middle;
		node->right = parent;
	} else {
		middle = node->left;
		parent->right = middle;
		node->left = parent;
	}
	if (middle)
		middle->parent = parent;
	update(tree, parent);
	update(tree, node);
}

/* Updates upwards to the first node whose value does not change: the ones above depend on it
 * alone. */
void tree_changed(struct tree *tree, struct tree_node *node)
{
	while (tree->update && node && tree->update(node))
		node = node->parent;
}

/* Inserts the only node: most trees, most of the time. */
static void plant(struct tree *tree, struct tree_node *node)
{
	*node = (struct tree_node){.priority = next_priority()};
	tree->root = tree->first = node;
	update(tree, node);
}

/* Links the node at the free position `link` below its parent, then rotates it up by its
 * priority. */
static void hang(struct tree *tree, struct tree_node *node, struct tree_node *parent,
		 struct tree_node **link)
{
	*node = (struct tree_node){.parent = parent, .priority = next_priority()};
	*link = node;
	update(tree, node);
	while (node->parent && node->parent->priority < node->priority)
		rotate_up(tree, node);
	tree_changed(tree, node->parent);
}

void tree_insert(struct tree *tree, struct tree_node *node)
{
	struct tree_node **link = &tree->root, *parent = NULL;
	bool first = true;

	if (!tree->root) {
		plant(tree, node);
		return;
	}
	while (*link) {
		bool left = tree->before(node, *link);

		parent = *link;
		link = left ? &parent->left : &parent->right;
		first &= left;
	}
	if (first)
		tree->first = node;
	hang(tree, node, parent, link);
}

void tree_append(struct tree *tree, struct tree_node *last, struct tree_node *node)
{
	if (last)
		hang(tree, node, last, &last->right);
	else
		plant(tree, node);
}

void tree_remove(struct tree *tree, struct tree_node *node)
{
	struct tree_node *child;

	if (tree->root == node && !node->left && !node->right) {
		tree->root = tree->first = NULL;
		node->priority = 0;
		return;
	}
	if (tree->first == node)
		tree->first = tree_next(node);
	while (node->left && node->right)
		rotate_up(tree,
			  node->left->priority > node->right->priority ? node->left : node->right);
	child = node->left ? node->left : node->right;

	*link_to(tree, node) = child;
	if (child)
		child->parent = node->parent;
	node->priority = 0;
	/* Update every ancestor: the rotations recomputed only the nodes that they moved. */
	for (node = node->parent; node; node = node->parent)
		update(tree, node);
}

struct tree_node *tree_next(struct tree_node *node)
{
	if (node->right) {
		for (node = node->right; node->left;)
			node = node->left;
		return node;
	}
	while (node->parent && node->parent->right == node)
		node = node->parent;
	return node->parent;
}
