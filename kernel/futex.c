/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes: one queue of all sleepers, keyed by address space and address, or by page for shared
 * words. */
#include <linux/errno.h>
#include <linux/mman.h>
#include "arch/x86/paging.h"
#include "kernel/futex.h"
#include "kernel/memory.h"
#include "kernel/task.h"
#include "kernel/user.h"
#include "kernel/vm.h"

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

long futex_wait(uint64_t addr, uint32_t expected, uint32_t bits, uint64_t deadline_ns, bool private)
{
	struct sleeper sleeper = {.bits = bits};
	struct waiter waiter;
	uint32_t word;
	int err = key_of(addr, private, &sleeper.key);

	if (err)
		return err;
	if (copy_from_user(&word, addr, sizeof(word)))
		return -EFAULT;
	if (word != expected)
		return -EAGAIN;
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

long futex_requeue(uint64_t addr, unsigned count, uint64_t to, unsigned move, bool private)
{
	struct sleeper *sleeper, *next;
	struct key from_key, to_key;
	unsigned woken = 0, moved = 0;
	int err = key_of(addr, private, &from_key);

	if (!err)
		err = key_of(to, private, &to_key);
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
