/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacement, against lists and trees that are written down plainly. */
#include "emulator/sim/memory/assoc.h"
#include "tests/sim/core_test.h"

enum { STEPS = 20000, WAYS_MAX = 24 };

/* A set as a list of keys, the most recently used first. */
struct list {
	uint64_t keys[WAYS_MAX];
	unsigned count;
};

/* Moves key to the front. Returns whether it was there; *left gets what fell off the end. */
static bool list_use(struct list *l, unsigned ways, uint64_t key, uint64_t *left)
{
	unsigned at = 0;
	bool found;

	*left = ASSOC_EMPTY;
	while (at < l->count && l->keys[at] != key)
		at++;
	found = at < l->count;
	if (!found && l->count < ways)
		l->count++;
	else if (!found)
		*left = l->keys[--at];
	memmove(l->keys + 1, l->keys, at * sizeof(l->keys[0]));
	l->keys[0] = key;
	return found;
}

static void check_lru(unsigned sets, unsigned ways)
{
	struct list *lists = calloc(sets, sizeof(*lists));
	struct assoc a;
	uint64_t random = 88172645463325252ULL;

	assert_true(assoc_init(&a, sets, ways, REPLACE_LRU));
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t key = test_random(&random) % (sets * (ways + 2)), left, victim;
		bool found = list_use(&lists[key % sets], ways, key, &left);
		uint8_t state;

		assert_int_equal(assoc_use(&a, key) != ASSOC_NONE, found);
		if (found)
			continue;
		assoc_insert(&a, key, &victim, &state);
		assert_int_equal(victim, left);
	}
	assoc_free(&a);
	free(lists);
}

static void test_lru(void **state)
{
	(void)state;
	check_lru(1, 1);
	check_lru(64, 1);
	check_lru(16, 4);
	check_lru(3, 12); /* sets need not be a power of two */
	check_lru(1, 24);
}

/* A tree by its definition: a node points to one of its halves. */
struct node {
	struct node *half[2];
	unsigned points, way;
};

static struct node *tree_new(unsigned first, unsigned ways)
{
	struct node *node = calloc(1, sizeof(*node));

	node->way = first;
	if (ways > 1) {
		node->half[0] = tree_new(first, ways / 2);
		node->half[1] = tree_new(first + ways / 2, ways / 2);
	}
	return node;
}

static void tree_free(struct node *node)
{
	if (!node)
		return;
	tree_free(node->half[0]);
	tree_free(node->half[1]);
	free(node);
}

static void tree_use(struct node *node, unsigned way)
{
	while (node->half[0]) {
		unsigned side = way >= node->half[1]->way;

		node->points = !side;
		node = node->half[side];
	}
}

static unsigned tree_victim(const struct node *node)
{
	while (node->half[0])
		node = node->half[node->points];
	return node->way;
}

static void check_tree(unsigned ways)
{
	struct node *tree = tree_new(0, ways);
	uint64_t keys[WAYS_MAX] = {0}, random = 362436069, victim;
	unsigned filled = 0;
	struct assoc a;
	uint8_t state;

	assert_true(assoc_init(&a, 1, ways, REPLACE_PLRU));
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t key = test_random(&random) % (ways * 3 / 2 + 1);
		unsigned way = 0;

		while (way < filled && keys[way] != key)
			way++;
		if (way < filled) {
			assert_int_equal(assoc_use(&a, key), way);
		} else {
			assert_int_equal(assoc_use(&a, key), ASSOC_NONE);
			way = filled < ways ? filled++ : tree_victim(tree);
			assert_int_equal(assoc_insert(&a, key, &victim, &state), way);
			keys[way] = key;
		}
		tree_use(tree, way);
	}
	assoc_free(&a);
	tree_free(tree);
}

static void test_tree(void **state)
{
	(void)state;
	check_tree(2);
	check_tree(4);
	check_tree(8);
	check_tree(16);
}

/* With ways that are no power of two every way is in use, and none that does not exist. */
static void test_uneven_tree(void **state)
{
	struct assoc a;
	uint64_t victim;
	uint8_t line;
	bool seen[12] = {false};

	(void)state;
	assert_true(assoc_init(&a, 1, 12, REPLACE_PLRU));
	for (uint64_t key = 0; key < 12; key++)
		assoc_insert(&a, key, &victim, &line);
	for (uint64_t key = 100; key < 200; key++) {
		uint32_t index = assoc_insert(&a, key, &victim, &line);

		assert_in_range(index, 0, 11);
		assert_int_not_equal(victim, key - 1); /* the most recently used way stays */
		seen[index] = true;
	}
	for (unsigned way = 0; way < 12; way++)
		assert_true(seen[way]);
	assoc_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lru),
	    cmocka_unit_test(test_tree),
	    cmocka_unit_test(test_uneven_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
