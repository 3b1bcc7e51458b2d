/* SPDX-License-Identifier: BSD-2-Clause */
/* Locks on files: a list of ranges for each inode. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "kernel/fs/inode.h"
#include "kernel/fs/locks.h"
#include "kernel/mem/memory.h"
#include "kernel/task/waitq.h"

#define LOCKS_MAX 4096 /* of one file: ranges can be cut without end */

static struct waitq unlocked = {{&unlocked.waiters, &unlocked.waiters}}; /* some lock went */

static bool overlap(const struct file_lock *a, const struct file_lock *b)
{
	return a->whole == b->whole && a->start <= b->last && b->start <= a->last;
}

/* The list begins with the newest lock: the first conflict is the lowest of the owner who comes
 * last in it. */
const struct file_lock *lock_conflict(const struct inode *inode, const struct file_lock *wanted)
{
	const struct file_lock *lock, *first = NULL;

	for (lock = inode->locks; lock; lock = lock->next)
		if (lock->owner != wanted->owner && overlap(lock, wanted) &&
		    (lock->type == F_WRLCK || wanted->type == F_WRLCK) &&
		    (!first || lock->owner != first->owner || lock->start < first->start))
			first = lock;
	return first;
}

/* A process that waits for a lock of a range. */
struct sleeper {
	struct list link;
	const struct inode *inode;
	const struct file_lock *wanted;
};

static struct list sleepers = {&sleepers, &sleepers};

#define CHAIN_MAX 10 /* owners that a search for a deadlock follows, as Linux */

/* Returns the owner whose lock keeps `owner` waiting; NULL: it does not wait. */
static const void *awaited_by(const void *owner)
{
	const struct file_lock *conflict;
	struct sleeper *sleeper;

	list_for_each(sleeper, &sleepers, link) {
		if (sleeper->wanted->owner != owner)
			continue;
		conflict = lock_conflict(sleeper->inode, sleeper->wanted);
		return conflict ? conflict->owner : NULL;
	}
	return NULL;
}

/* True if an owner that the wait is for waits itself for the lock's owner. Only locks of processes
 * are looked at. */
static bool would_deadlock(const struct inode *inode, const struct file_lock *wanted)
{
	const void *owner = lock_conflict(inode, wanted)->owner;

	if (wanted->pid < 0)
		return false;
	for (unsigned i = 0; owner && i < CHAIN_MAX; i++) {
		if (owner == wanted->owner)
			return true;
		owner = awaited_by(owner);
	}
	return false;
}

static void add(struct inode *inode, struct file_lock *lock, const struct file_lock *as)
{
	*lock = *as;
	lock->next = inode->locks;
	inode->locks = lock;
}

/* Removes the owner's earlier locks from the range; uses `spare` if one is split. Equal neighbours
 * are merged into `wanted`. */
static void clear_range(struct inode *inode, struct file_lock *wanted, struct file_lock **spare)
{
	struct file_lock **link = &inode->locks, *lock;
	uint64_t start = wanted->start, last = wanted->last;

	while ((lock = *link)) {
		bool touches = lock->whole == wanted->whole && lock->owner == wanted->owner &&
			       (lock->last == UINT64_MAX || lock->last + 1 >= start) &&
			       (last == UINT64_MAX || lock->start <= last + 1);

		if (touches && lock->type == wanted->type) {
			wanted->start = lock->start < wanted->start ? lock->start : wanted->start;
			wanted->last = lock->last > wanted->last ? lock->last : wanted->last;
		} else if (!touches || lock->last < start || lock->start > last) {
			link = &lock->next;
			continue;
		} else if (lock->start < start) {
			if (lock->last > last) {
				add(inode, *spare, lock);
				(*spare)->start = last + 1;
				*spare = NULL;
				if (link == &inode->locks)
					link = &inode->locks->next;
			}
			lock->last = start - 1;
			link = &lock->next;
			continue;
		} else if (lock->last > last) {
			lock->start = last + 1;
			link = &lock->next;
			continue;
		}
		*link = lock->next;
		kfree(lock);
	}
}

static bool too_many(const struct inode *inode)
{
	unsigned count = 0;

	for (const struct file_lock *lock = inode->locks; lock; lock = lock->next)
		count++;
	return count >= LOCKS_MAX;
}

/* Sets or clears a lock that has no conflict. Returns 0 or -ENOLCK. */
static int apply(struct inode *inode, const struct file_lock *wanted)
{
	struct file_lock *lock = kalloc(sizeof(*lock)), *spare = kalloc(sizeof(*spare));
	struct file_lock range = *wanted;

	if (!lock || !spare || (wanted->type != F_UNLCK && too_many(inode))) {
		kfree(lock);
		kfree(spare);
		return -ENOLCK;
	}
	clear_range(inode, &range, &spare);
	if (range.type != F_UNLCK) {
		add(inode, lock, &range);
		lock = NULL;
	}
	kfree(lock);
	kfree(spare);
	waitq_wake(&unlocked);
	return 0;
}

int lock_set(struct inode *inode, const struct file_lock *wanted, bool sleep)
{
	struct sleeper sleeper = {.inode = inode, .wanted = wanted};
	struct waiter waiter;
	int err = 0;

	if (wanted->type == F_UNLCK || !lock_conflict(inode, wanted))
		return apply(inode, wanted);
	if (!sleep)
		return -EAGAIN;
	if (would_deadlock(inode, wanted))
		return -EDEADLK;
	list_add_tail(&sleepers, &sleeper.link);
	waitq_add(&unlocked, &waiter);
	while (lock_conflict(inode, wanted) && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	list_remove(&sleeper.link);
	return err ? err : apply(inode, wanted);
}

void locks_close(struct inode *inode, const void *owner)
{
	struct file_lock **link = &inode->locks, *lock;

	while ((lock = *link)) {
		if (lock->owner != owner) {
			link = &lock->next;
			continue;
		}
		*link = lock->next;
		kfree(lock);
	}
	waitq_wake(&unlocked);
}
