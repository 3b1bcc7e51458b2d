/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Balanced trees with the node inside the object: treaps. What makes a tree deep is chance, not the
 * keys that a user chooses: all operations take about log n steps, the first node one. Context of
 * all: any; who calls keeps others out.
 */
#ifndef KERNEL_TREE_H
#define KERNEL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/base/list.h"

struct tree_node {
	struct tree_node *left, *right, *parent;
	uint32_t priority; /* 0: in no tree */
};

struct tree {
	struct tree_node *root, *first;
	/* `a` lies before `b`; of equal ones the one inserted first does. */
	bool (*before)(const struct tree_node *a, const struct tree_node *b);
	/* Works out again what the node knows of itself and all below it: whether that changed.
	 * NULL: it knows nothing. */
	bool (*update)(struct tree_node *node);
};

/* Puts a node that is in no tree into its place. */
void tree_insert(struct tree *tree, struct tree_node *node);
/* The same for a node that lies after all others, without a search. `last`: the one that does so
 * now, NULL in an empty tree. */
void tree_append(struct tree *tree, struct tree_node *last, struct tree_node *node);
/* Takes the node out; it must be in the tree. */
void tree_remove(struct tree *tree, struct tree_node *node);
/* What the node knows of itself changed, not where it lies. */
void tree_changed(struct tree *tree, struct tree_node *node);
/* The node that lies after this one, NULL: it is the last. */
struct tree_node *tree_next(struct tree_node *node);

static inline bool tree_holds(const struct tree_node *node)
{
	return node->priority;
}

#endif
