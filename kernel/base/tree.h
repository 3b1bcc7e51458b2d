/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Balanced trees (AVL) with the node inside the object. Whatever the keys, operations take O(log n)
 * steps, the first node one step; the steps depend on the tree's own operations alone. Context of
 * all: any; the caller must serialise access.
 */
#ifndef KERNEL_TREE_H
#define KERNEL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/base/list.h"

struct tree_node {
	struct tree_node *left, *right, *parent;
	uint32_t height; /* of the node's part of the tree; 0: in no tree */
};

struct tree {
	struct tree_node *root, *first;
	/* True if `a` sorts before `b`. Equal nodes keep the order of insertion. */
	bool (*before)(const struct tree_node *a, const struct tree_node *b);
	/* Recomputes the node's summary of itself and its subtree; returns whether it changed.
	 * NULL: there is no summary. */
	bool (*update)(struct tree_node *node);
};

/* Inserts a node that is in no tree. */
void tree_insert(struct tree *tree, struct tree_node *node);
/* Inserts a node that sorts after all others, without a search. `last`: the current last node; NULL
 * if the tree is empty. */
void tree_append(struct tree *tree, struct tree_node *last, struct tree_node *node);
/* Removes the node; it must be in the tree. */
void tree_remove(struct tree *tree, struct tree_node *node);
/* Updates the tree after a node's own value changed; its key must not have changed. */
void tree_changed(struct tree *tree, struct tree_node *node);
/* Returns the next node in order, or NULL after the last. */
struct tree_node *tree_next(struct tree_node *node);

static inline bool tree_holds(const struct tree_node *node)
{
	return node->height;
}

#endif
