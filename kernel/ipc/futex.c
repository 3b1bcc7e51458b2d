/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes: one queue of all sleepers, keyed by address space and address, or by page for shared
 * words. */
#include <linux/errno.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include "arch/x86/paging/paging.h"
#include "kernel/ipc/futex.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vm.h"

/* What tells one word from another: the mm (NULL for shared words) and the address, virtual or
 * physical. */
struct key {
	const struct mm *mm;
	uint64_t addr;
};

struct sleeper {
	struct list link;
	struct waitq queue; /* of the one task */
	struct key key;
	uint32_t bits;
	bool woken;
};

static struct list sleepers = {&sleepers, &sleepers}; /* in the order of their waits */

/* Finds the word's key; touches its page, so that a shared one has a place. Returns 0, -EINVAL or
 * -EFAULT. */
static int key_of(uint64_t addr, bool private, struct key *key)
{
	struct mm *mm = current_task()->mm;
	struct paging_entry entry;
	uint32_t word;

	if (addr % sizeof(word))
		return -EINVAL;
	key->mm = mm;
	key->addr = addr;
	if (private)
		return addr < USER_END ? 0 : -EFAULT;
	if (copy_from_user(&word, addr, sizeof(word)) ||
	    !paging_query(mm->root_phys, addr & -PAGE_SIZE, &entry))
		return -EFAULT;
	if (vma_find(mm, addr)->flags & MAP_SHARED) {
		key->mm = NULL;
		key->addr = entry.phys + addr % PAGE_SIZE;
	}
	return 0;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->mm == b->mm && a->addr == b->addr;
}

/* Whether the word holds what the caller believes: 0, -EAGAIN or -EFAULT. */
static int compare(uint64_t addr, uint32_t expected)
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
	int err = key_of(addr, private, &sleeper.key);

	if (!err)
		err = compare(addr, expected);
	if (err)
		return err;
	waitq_init(&sleeper.queue);
	list_add_tail(&sleepers, &sleeper.link);
	waitq_add(&sleeper.queue, &waiter);
	while (!sleeper.woken && !err)
		err = waitq_sleep(deadline_ns);
	waitq_remove(&waiter);
	list_remove(&sleeper.link);
	return sleeper.woken ? 0 : err;
}

static void wake(struct sleeper *sleeper)
{
	list_remove(&sleeper->link);
	sleeper->woken = true;
	waitq_wake(&sleeper->queue);
}

long futex_wake(uint64_t addr, unsigned count, uint32_t bits, bool private)
{
	struct sleeper *sleeper, *next;
	struct key key;
	long woken = 0;
	int err = key_of(addr, private, &key);

	if (err)
		return err;
	list_for_each_safe(sleeper, next, &sleepers, link) {
		if (woken >= count)
			break;
		if (same_key(&sleeper->key, &key) && sleeper->bits & bits) {
			wake(sleeper);
			woken++;
		}
	}
	return woken;
}

long futex_requeue(uint64_t addr, unsigned count, uint64_t to, unsigned move,
		   const uint32_t *expected, bool private)
{
	struct sleeper *sleeper, *next;
	struct key from_key, to_key;
	unsigned woken = 0, moved = 0;
	int err = key_of(addr, private, &from_key);

	if (!err)
		err = key_of(to, private, &to_key);
	if (!err && expected) /* last: the others may sleep */
		err = compare(addr, *expected);
	if (err)
		return err;
	list_for_each_safe(sleeper, next, &sleepers, link) {
		if (!same_key(&sleeper->key, &from_key))
			continue;
		if (woken < count) {
			wake(sleeper);
			woken++;
		} else if (moved < move) {
			sleeper->key = to_key;
			moved++;
		} else {
			break;
		}
	}
	return woken + moved;
}

/* The new value of a word for an operation of FUTEX_WAKE_OP. */
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

long futex_wake_op(uint64_t addr, unsigned count, uint64_t addr2, unsigned count2,
		   uint32_t operation, bool private)
{
	unsigned what = operation >> 28 & 7, comparison = operation >> 24 & 15;
	int32_t argument = (int32_t)(operation << 8) >> 20,
		compared = (int32_t)(operation << 20) >> 20;
	uint32_t *word, old, change = (uint32_t)argument;
	struct key key;
	long woken, more = 0;
	int err = key_of(addr, private, &key);

	if (!err)
		err = key_of(addr2, private, &key);
	if (err)
		return err;
	if (operation >> 28 & FUTEX_OP_OPARG_SHIFT)
		change = 1u << (argument & 31);
	if (what > FUTEX_OP_XOR || comparison > FUTEX_OP_CMP_GE)
		return -ENOSYS;
	word = mm_writable(current_task()->mm, addr2);
	if (!word)
		return -EFAULT;
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(word, &old, operate(what, old, change), false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	woken = futex_wake(addr, count, FUTEX_BITSET_MATCH_ANY, private);
	if (woken >= 0 && compares(comparison, (int32_t)old, compared))
		more = futex_wake(addr2, count2, FUTEX_BITSET_MATCH_ANY, private);
	return woken + more;
}
