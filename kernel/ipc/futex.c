/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes: one tree of all sleepers, by address space and address, or by page for shared words. */
#include <linux/errno.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include "arch/x86/paging/paging.h"
#include "kernel/ipc/futex.h"
#include "kernel/ipc/futex_key.h"
#include "kernel/mem/huge.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

struct sleeper {
	struct futex_place place;
	struct waitq queue; /* of the one task */
	uint32_t bits;
	bool woken;
};

static struct tree sleepers = {.before = futex_before};

bool futex_before(const struct tree_node *a, const struct tree_node *b)
{
	const struct futex_key *one = &container_of(a, struct futex_place, node)->key,
			       *other = &container_of(b, struct futex_place, node)->key;

	return one->mm != other->mm ? one->mm < other->mm : one->addr < other->addr;
}

struct futex_place *futex_first(const struct tree *tree, const struct futex_key *key)
{
	const struct futex_place wanted = {.key = *key};
	struct tree_node *node = tree->root, *first = NULL;

	while (node) {
		bool before = futex_before(node, &wanted.node);

		first = before ? first : node;
		node = before ? node->right : node->left;
	}
	if (!first || futex_before(&wanted.node, first))
		return NULL;
	return container_of(first, struct futex_place, node);
}

/* Returns the next sleeper of the word; NULL: none. */
static struct futex_place *futex_next(struct futex_place *place)
{
	struct tree_node *node = tree_next(&place->node);

	if (!node || futex_before(&place->node, node))
		return NULL;
	return container_of(node, struct futex_place, node);
}

/* Returns the first sleeper on the word, or NULL. */
static struct sleeper *first_sleeper(const struct futex_key *key)
{
	struct futex_place *place = futex_first(&sleepers, key);

	return place ? container_of(place, struct sleeper, place) : NULL;
}

static struct sleeper *next_sleeper(struct sleeper *sleeper)
{
	struct futex_place *place = futex_next(&sleeper->place);

	return place ? container_of(place, struct sleeper, place) : NULL;
}

static void *page_of_key(const struct futex_key *key)
{
	return phys_virt(key->addr & -key->page_bytes);
}

void futex_key_hold(const struct futex_key *key)
{
	if (key->page_bytes)
		(key->page_bytes == PAGE_SIZE ? page_get : huge_get)(page_of_key(key));
}

void futex_key_drop(const struct futex_key *key)
{
	if (key->page_bytes)
		(key->page_bytes == PAGE_SIZE ? page_put : huge_put)(page_of_key(key));
}

void futex_place_insert(struct tree *tree, struct futex_place *place)
{
	futex_key_hold(&place->key);
	tree_insert(tree, &place->node);
}

void futex_place_remove(struct tree *tree, struct futex_place *place)
{
	if (!tree_holds(&place->node))
		return;
	tree_remove(tree, &place->node);
	futex_key_drop(&place->key);
}

/* Takes the sleeper off the queue; the waker may already have done so. */
static void leave(struct sleeper *sleeper)
{
	futex_place_remove(&sleepers, &sleeper->place);
}

int futex_key_of(uint64_t addr, bool private, struct futex_key *key)
{
	struct mm *mm = current_task()->mm;
	struct paging_entry entry;
	uint32_t word;

	if (addr % sizeof(word))
		return -EINVAL;
	*key = (struct futex_key){.mm = mm, .addr = addr};
	if (private)
		return addr < USER_END ? 0 : -EFAULT;
	if (copy_from_user(&word, addr, sizeof(word)) ||
	    !paging_query(mm->root_phys, addr & -PAGE_SIZE, &entry))
		return -EFAULT;
	if (vma_find(mm, addr)->flags & MAP_SHARED) {
		key->mm = NULL;
		key->addr = entry.phys + addr % PAGE_SIZE;
		key->page_bytes = entry.bytes;
	}
	return 0;
}

bool futex_same(const struct futex_key *a, const struct futex_key *b)
{
	return a->mm == b->mm && a->addr == b->addr;
}

int futex_compare(uint64_t addr, uint32_t expected)
{
	uint32_t word;

	if (copy_from_user(&word, addr, sizeof(word)))
		return -EFAULT;
	return word == expected ? 0 : -EAGAIN;
}

long futex_wait(uint64_t addr, uint32_t expected, uint32_t bits, uint64_t deadline_ns, bool private)
{
	struct sleeper sleeper = {.bits = bits};
	struct waiter waiter;
	int err = futex_key_of(addr, private, &sleeper.place.key);

	if (!err)
		err = futex_compare(addr, expected);
	if (err)
		return err;
	waitq_init(&sleeper.queue);
	futex_place_insert(&sleepers, &sleeper.place);
	waitq_add(&sleeper.queue, &waiter);
	while (!sleeper.woken && !err)
		err = waitq_sleep(deadline_ns);
	waitq_remove(&waiter);
	leave(&sleeper);
	return sleeper.woken ? 0 : err;
}

/* One of several words that a task waits for. */
struct one_of_many {
	struct sleeper sleeper;
	struct waiter waiter;
};

/* Queues the task for all words, and checks their values: 0 or a negative errno. */
static int wait_begin(struct one_of_many *all, const struct futex_waitv *words, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++)
		err = futex_key_of(words[i].uaddr, words[i].flags & FUTEX_PRIVATE_FLAG,
				   &all[i].sleeper.place.key);
	if (err)
		return err;
	for (unsigned i = 0; i < count; i++)
		futex_place_insert(&sleepers, &all[i].sleeper.place);
	for (unsigned i = 0; i < count && !err; i++)
		err = futex_compare(words[i].uaddr, (uint32_t)words[i].val);
	return err;
}

static int woken_of(const struct one_of_many *all, unsigned count)
{
	int woken = -1;

	for (unsigned i = 0; i < count; i++)
		if (all[i].sleeper.woken)
			woken = (int)i;
	return woken;
}

long futex_wait_any(const struct futex_waitv *words, unsigned count, uint64_t deadline_ns)
{
	struct one_of_many *all = kalloc(count * sizeof(*all));
	int err, woken;

	if (!all)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		waitq_init(&all[i].sleeper.queue);
		all[i].sleeper.bits = FUTEX_BITSET_MATCH_ANY;
	}
	err = wait_begin(all, words, count);
	for (unsigned i = 0; i < count; i++)
		waitq_add(&all[i].sleeper.queue, &all[i].waiter);
	while (!err && woken_of(all, count) < 0)
		err = waitq_sleep(deadline_ns);
	for (unsigned i = 0; i < count; i++) {
		waitq_remove(&all[i].waiter);
		leave(&all[i].sleeper);
	}
	woken = woken_of(all, count);
	kfree(all);
	return woken >= 0 ? woken : err;
}

static void wake(struct sleeper *sleeper)
{
	leave(sleeper);
	sleeper->woken = true;
	waitq_wake(&sleeper->queue);
}

long futex_wake(uint64_t addr, unsigned count, uint32_t bits, bool private)
{
	struct sleeper *sleeper, *next;
	struct futex_key key;
	long woken = 0;
	int err = futex_key_of(addr, private, &key);

	if (err)
		return err;
	for (sleeper = first_sleeper(&key); sleeper && woken < count; sleeper = next) {
		next = next_sleeper(sleeper);
		if (sleeper->bits & bits) {
			wake(sleeper);
			woken++;
		}
	}
	return woken || !count ? woken : futex_pi_waits(&key);
}

/* Requeues the sleeper to another word, behind its sleepers; for the same word it keeps its
 * position. */
static void sleep_elsewhere(struct sleeper *sleeper, const struct futex_key *key)
{
	if (futex_same(&sleeper->place.key, key))
		return;
	leave(sleeper);
	sleeper->place.key = *key;
	futex_place_insert(&sleepers, &sleeper->place);
}

long futex_requeue(uint64_t addr, unsigned count, uint64_t to, unsigned move,
		   const uint32_t *expected, bool private)
{
	struct sleeper *sleeper, *next;
	struct futex_key from_key, to_key;
	uint64_t most = (uint64_t)count + move;
	unsigned woken = 0, moved = 0;
	int err = futex_key_of(addr, private, &from_key);

	if (!err)
		err = futex_key_of(to, private, &to_key);
	if (!err && expected) /* last: the others may sleep */
		err = futex_compare(addr, *expected);
	if (err)
		return err;
	for (sleeper = first_sleeper(&from_key); sleeper && woken + moved < most; sleeper = next) {
		next = next_sleeper(sleeper);
		if (woken < count) {
			wake(sleeper);
			woken++;
		} else {
			sleep_elsewhere(sleeper, &to_key);
			moved++;
		}
	}
	return woken + moved ? (long)woken + moved : futex_pi_waits(&from_key);
}

bool futex_plain_waits(const struct futex_key *key)
{
	return first_sleeper(key);
}

/* Returns the new value of a word for an operation of FUTEX_WAKE_OP. */
static uint32_t operate(unsigned operation, uint32_t old, uint32_t argument)
{
	switch (operation) {
	case FUTEX_OP_ADD:
		return old + argument;
	case FUTEX_OP_OR:
		return old | argument;
	case FUTEX_OP_ANDN:
		return old & ~argument;
	case FUTEX_OP_XOR:
		return old ^ argument;
	default:
		return argument;
	}
}

static bool compares(unsigned comparison, int32_t old, int32_t argument)
{
	switch (comparison) {
	case FUTEX_OP_CMP_EQ:
		return old == argument;
	case FUTEX_OP_CMP_NE:
		return old != argument;
	case FUTEX_OP_CMP_LT:
		return old < argument;
	case FUTEX_OP_CMP_LE:
		return old <= argument;
	case FUTEX_OP_CMP_GT:
		return old > argument;
	default:
		return old >= argument;
	}
}

/* Changes the user's word: 0 and the old value, -EFAULT, or -EAGAIN (another processor keeps
 * changing it). */
static int operate_on(uint64_t addr, unsigned what, uint32_t argument, uint32_t *old)
{
	uint32_t *word = mm_writable(current_task()->mm, addr);

	if (!word)
		return -EFAULT;
	*old = __atomic_load_n(word, __ATOMIC_RELAXED);
	for (unsigned tries = 0; tries < FUTEX_TRIES_AT_ONCE; tries++)
		if (__atomic_compare_exchange_n(word, old, operate(what, *old, argument), false,
						__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return 0;
	return -EAGAIN;
}

long futex_wake_op(uint64_t addr, unsigned count, uint64_t addr2, unsigned count2,
		   uint32_t operation, bool private)
{
	unsigned what = operation >> 28 & 7, comparison = operation >> 24 & 15;
	int32_t argument = (int32_t)(operation << 8) >> 20,
		compared = (int32_t)(operation << 20) >> 20;
	uint32_t old, change = (uint32_t)argument;
	struct futex_key key;
	long woken, more = 0;
	int err = futex_key_of(addr, private, &key);

	if (!err)
		err = futex_key_of(addr2, private, &key);
	if (err)
		return err;
	if (operation >> 28 & FUTEX_OP_OPARG_SHIFT)
		change = 1u << (argument & 31);
	if (what > FUTEX_OP_XOR || comparison > FUTEX_OP_CMP_GE)
		return -ENOSYS;
	do
		err = operate_on(addr2, what, change, &old);
	while (err == -EAGAIN && sched_pause());
	if (err)
		return err;
	woken = futex_wake(addr, count, FUTEX_BITSET_MATCH_ANY, private);
	if (woken >= 0 && compares(comparison, (int32_t)old, compared))
		more = futex_wake(addr2, count2, FUTEX_BITSET_MATCH_ANY, private);
	return woken + more;
}
