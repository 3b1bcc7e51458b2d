/* SPDX-License-Identifier: BSD-2-Clause */
/* AVL trees: the heights of a node's two sides differ by at most one. */
#include "kernel/base/tree.h"

static unsigned height_of(const struct tree_node *node)
{
	return node ? node->height : 0;
}

/* Returns the pointer that points to the node. */
static struct tree_node **link_to(struct tree *tree, struct tree_node *node)
{
	struct tree_node *parent = node->parent;

	if (!parent)
		return &tree->root;
	return parent->left == node ? &parent->left : &parent->right;
}

/* Puts another node, or none, in the node's position below its parent. */
static void replace(struct tree *tree, struct tree_node *node, struct tree_node *by)
{
	*link_to(tree, node) = by;
	if (by)
		by->parent = node->parent;
}

/* Recomputes a node's height and summary. Returns whether one of them changed. */
static bool update(struct tree *tree, struct tree_node *node)
{
	unsigned left = height_of(node->left), right = height_of(node->right), old = node->height;

	node->height = 1 + (left > right ? left : right);
	return (tree->update && tree->update(node)) || node->height != old;
}

/* Rotates: the node takes its parent's position, the parent moves below it. */
static void rotate_up(struct tree *tree, struct tree_node *node)
{
	struct tree_node *parent = node->parent, *middle;

	replace(tree, parent, node);
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

/* Rotates a node down whose left side, or right side, is two higher. Returns the one that takes its
 * position. */
static __attribute__((noinline)) struct tree_node *lower(struct tree *tree, struct tree_node *node,
							 bool left)
{
	struct tree_node *child = left ? node->left : node->right;
	struct tree_node *inner = left ? child->right : child->left;

	if (height_of(inner) > height_of(left ? child->left : child->right)) {
		rotate_up(tree, inner);
		child = inner;
	}
	rotate_up(tree, child);
	return child;
}

/* Balances the nodes from one upwards: to the root, or to the first that stays as it was. */
static void balance(struct tree *tree, struct tree_node *node, bool to_root)
{
	bool changed = true;

	for (; node && changed; node = node->parent) {
		unsigned left = height_of(node->left), right = height_of(node->right);

		if (left - right + 1 > 2)
			node = lower(tree, node, left > right);
		else
			changed = update(tree, node) || to_root;
	}
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
	*node = (struct tree_node){.height = 1};
	tree->root = tree->first = node;
	if (tree->update)
		tree->update(node);
}

/* Links the node at the free position `link` below its parent, then balances the ones above it up
 * to the first that stays as it was. */
static void hang(struct tree *tree, struct tree_node *node, struct tree_node *parent,
		 struct tree_node **link)
{
	*node = (struct tree_node){.parent = parent, .height = 1};
	*link = node;
	if (tree->update)
		tree->update(node);
	balance(tree, parent, false);
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

/* Takes a node with two sides out: the next node gets its position. Returns the lowest node whose
 * sides changed. */
static struct tree_node *swap_out(struct tree *tree, struct tree_node *node)
{
	struct tree_node *next = tree_next(node), *lowest = next->parent;

	replace(tree, next, next->right);
	replace(tree, node, next);
	next->left = node->left;
	next->right = node->right;
	next->height = node->height;
	next->left->parent = next;
	if (next->right)
		next->right->parent = next;
	return lowest == node ? next : lowest;
}

void tree_remove(struct tree *tree, struct tree_node *node)
{
	struct tree_node *above = node->parent;

	if (tree->first == node)
		tree->first = tree_next(node);
	if (node->left && node->right)
		above = swap_out(tree, node);
	else
		replace(tree, node, node->left ? node->left : node->right);
	node->height = 0;
	/* Summaries to the root: a node that moved holds the one of its former position. */
	balance(tree, above, tree->update);
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
