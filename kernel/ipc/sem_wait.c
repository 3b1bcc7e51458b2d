/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleepers of a set of System V semaphores, ordered by the value that each waits for: a change
 * costs O(log n), and nothing for unaffected sleepers. */
#include "kernel/ipc/sem.h"

static struct sem_sleeper *sleeper(const struct tree_node *node)
{
	return container_of(node, struct sem_sleeper, waiting);
}

/* Orders conditions by semaphore; within one, waits for an exact value first, by value; then by
 * turn. */
static bool wait_before(const struct sem_wait *a, const struct sem_wait *b)
{
	if (a->number != b->number)
		return a->number < b->number;
	if (a->exact != b->exact)
		return a->exact;
	if (a->exact && a->value != b->value)
		return a->value < b->value;
	return a->turn < b->turn;
}

static bool waiting_before(const struct tree_node *a, const struct tree_node *b)
{
	return wait_before(&sleeper(a)->wait, &sleeper(b)->wait);
}

static bool ready_before(const struct tree_node *a, const struct tree_node *b)
{
	return container_of(a, struct sem_sleeper, ready)->wait.turn <
	       container_of(b, struct sem_sleeper, ready)->wait.turn;
}

/* Returns the minimum value for the sleeper itself. */
static int wanted(const struct tree_node *node)
{
	const struct sem_wait *wait = &sleeper(node)->wait;

	return wait->exact ? INT32_MAX : wait->value;
}

static int least_below(const struct tree_node *node)
{
	return node ? sleeper(node)->least : INT32_MAX;
}

static bool update_least(struct tree_node *node)
{
	int least = wanted(node), before = sleeper(node)->least;

	if (least_below(node->left) < least)
		least = least_below(node->left);
	if (least_below(node->right) < least)
		least = least_below(node->right);
	sleeper(node)->least = least;
	return least != before;
}

void sem_wait_init(struct sem_set *set)
{
	set->waiting = (struct tree){.before = waiting_before, .update = update_least};
	set->ready = (struct tree){.before = ready_before};
}

/* Returns the first sleeper that does not sort before `wait`. */
static struct tree_node *not_before(const struct sem_set *set, const struct sem_wait *wait)
{
	struct tree_node *node = set->waiting.root, *found = NULL;

	while (node) {
		if (wait_before(&sleeper(node)->wait, wait)) {
			node = node->right;
		} else {
			found = node;
			node = node->left;
		}
	}
	return found;
}

/* Returns the first sleeper in the subtree that `value` satisfies; there is one. */
static struct tree_node *first_below(struct tree_node *node, int value)
{
	for (;;) {
		if (least_below(node->left) <= value)
			node = node->left;
		else if (wanted(node) <= value)
			return node;
		else
			node = node->right;
	}
}

/* Returns the first sleeper from the node on that `value` satisfies, for any semaphore. */
static struct tree_node *first_satisfied(struct tree_node *node, int value)
{
	while (node && wanted(node) > value) {
		if (least_below(node->right) <= value)
			return first_below(node->right, value);
		while (node->parent && node->parent->right == node)
			node = node->parent;
		node = node->parent;
	}
	return node;
}

static struct sem_sleeper *first_exact(const struct sem_set *set, unsigned number, int value)
{
	const struct sem_wait from = {.number = (uint16_t)number, .exact = true, .value = value};
	struct tree_node *node = not_before(set, &from);
	struct sem_sleeper *who = node ? sleeper(node) : NULL;

	return who && who->wait.number == number && who->wait.exact && who->wait.value == value
		   ? who
		   : NULL;
}

static struct sem_sleeper *first_enough(const struct sem_set *set, unsigned number, int value)
{
	const struct sem_wait from = {.number = (uint16_t)number};
	struct tree_node *node = first_satisfied(not_before(set, &from), value);

	return node && sleeper(node)->wait.number == number ? sleeper(node) : NULL;
}

void sem_wait_check(struct sem_set *set, unsigned number)
{
	struct semaphore *semaphore = &set->semaphores[number];
	struct sem_sleeper *exact = first_exact(set, number, semaphore->value);
	struct sem_sleeper *first = first_enough(set, number, semaphore->value);

	if (!first || (exact && exact->wait.turn < first->wait.turn))
		first = exact;
	if (first == semaphore->first)
		return;
	if (semaphore->first)
		tree_remove(&set->ready, &semaphore->first->ready);
	if (first)
		tree_insert(&set->ready, &first->ready);
	semaphore->first = first;
}

void sem_wait_add(struct sem_set *set, struct sem_sleeper *who)
{
	tree_insert(&set->waiting, &who->waiting);
	sem_wait_check(set, who->wait.number);
}

void sem_wait_remove(struct sem_set *set, struct sem_sleeper *who)
{
	tree_remove(&set->waiting, &who->waiting);
	sem_wait_check(set, who->wait.number);
}

struct sem_sleeper *sem_wait_next(const struct sem_set *set)
{
	struct tree_node *node = set->ready.first;

	return node ? container_of(node, struct sem_sleeper, ready) : NULL;
}
