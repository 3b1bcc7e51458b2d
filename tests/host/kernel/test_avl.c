/* SPDX-License-Identifier: BSD-2-Clause */
/* Balanced trees: after any insertions and removals the order, the shape and the summary in each
 * node are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "kernel/base/tree.c"

#define NODES 300

struct item {
	struct tree_node node;
	unsigned key, weight;
	unsigned most; /* the largest weight of the node's part */
};

static struct item items[NODES];
static struct tree tree;
static unsigned updates;

static struct item *item_of(const struct tree_node *node)
{
	return container_of(node, struct item, node);
}

static bool item_before(const struct tree_node *a, const struct tree_node *b)
{
	return item_of(a)->key < item_of(b)->key;
}

static unsigned most_of(const struct tree_node *node)
{
	return node ? item_of(node)->most : 0;
}

static unsigned most_below(const struct tree_node *node)
{
	unsigned most = item_of(node)->weight;

	most = most_of(node->left) > most ? most_of(node->left) : most;
	return most_of(node->right) > most ? most_of(node->right) : most;
}

static bool item_update(struct tree_node *node)
{
	unsigned old = item_of(node)->most;

	updates++;
	item_of(node)->most = most_below(node);
	return item_of(node)->most != old;
}

static unsigned height_below(const struct tree_node *node)
{
	int left = (int)height_of(node->left), right = (int)height_of(node->right);

	assert_in_range(left - right + 1, 0, 2);
	return (unsigned)(left > right ? left : right);
}

/* Asserts all that holds of a node's part; returns how many nodes it has. */
static unsigned check(const struct tree_node *node, const struct tree_node *parent)
{
	if (!node)
		return 0;
	assert_ptr_equal(node->parent, parent);
	assert_int_equal(node->height, height_below(node) + 1);
	assert_int_equal(item_of(node)->most, most_below(node));
	return check(node->left, node) + 1 + check(node->right, node);
}

/* The tree holds just the items that say so, in order. */
static void check_all(void)
{
	unsigned held = 0, met = 0;
	struct tree_node *node;

	for (unsigned i = 0; i < NODES; i++)
		held += tree_holds(&items[i].node);
	assert_int_equal(check(tree.root, NULL), held);
	for (node = tree.first; node; node = tree_next(node), met++)
		assert_true(!tree_next(node) || !item_before(tree_next(node), node));
	assert_int_equal(met, held);
}

static int begin(void **state)
{
	(void)state;
	tree = (struct tree){.before = item_before, .update = item_update};
	for (unsigned i = 0; i < NODES; i++)
		items[i] = (struct item){.key = i / 2};
	return 0;
}

static void random_lives(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 5000; round++) {
		struct item *item;

		random = random * 1664525 + 1013904223;
		item = &items[(random >> 8) % NODES];
		if (!tree_holds(&item->node)) {
			item->weight = random >> 20;
			tree_insert(&tree, &item->node);
		} else if (random & 0x80) {
			tree_remove(&tree, &item->node);
		} else {
			item->weight = random >> 21;
			tree_changed(&tree, &item->node);
		}
		check_all();
	}
}

static void appending_makes_the_same_tree(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NODES; i++) {
		items[i].weight = i * 7919 % 1000;
		tree_append(&tree, i ? &items[i - 1].node : NULL, &items[i].node);
		check_all();
	}
	assert_ptr_equal(tree.first, &items[0].node);
}

/* Nothing above a node is worked out that stays what it was. */
static void changes_go_up_as_far_as_they_matter(void **state)
{
	struct tree_node *node = NULL;

	(void)state;
	for (unsigned i = 0; i < NODES; i++) {
		items[i].weight = 10;
		tree_insert(&tree, &items[i].node);
	}
	for (node = tree.root; node->left; node = node->left)
		;
	updates = 0;
	item_of(node)->weight = 9;
	tree_changed(&tree, node);
	assert_true(updates <= 2);
	item_of(node)->weight = 20;
	tree_changed(&tree, node);
	assert_int_equal(item_of(tree.root)->most, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(random_lives, begin),
	    cmocka_unit_test_setup(appending_makes_the_same_tree, begin),
	    cmocka_unit_test_setup(changes_go_up_as_far_as_they_matter, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
