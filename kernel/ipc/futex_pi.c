/* SPDX-License-Identifier: BSD-2-Clause */
/* PI futexes, locks whose owner the kernel knows (futex(2), Linux
 * Documentation/locking/pi-futex.rst): the state of a lock while tasks wait for it. The word holds
 * the owner's id and a flag that there are waiters. */
#include <linux/errno.h>
#include <linux/futex.h>
#include "kernel/ipc/futex_key.h"
#include "kernel/ipc/futex_pi.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/pids.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

#define CHAIN_LONGEST 1024 /* locks from one to the next, when a deadlock is looked for */

/* A lock with waiters. */
struct pi_lock {
	struct futex_place place;
	struct task *owner;                       /* referenced */
	struct pi_lock *next_owned, **link_owned; /* in the owner's list */
	struct list waiters;                      /* in the order of waiting */
};

/* A task that waits for a lock, or to be requeued to one. */
struct pi_waiter {
	struct list link; /* in the lock's list */
	struct waitq queue;
	struct task *task;
	struct pi_lock *lock;    /* NULL: it is not moved yet */
	struct futex_place word; /* where it waits to be moved */
	struct futex_key target;
	uint64_t addr; /* the lock's word, in the task's memory */
	bool moved, done;
	int result;
};

static struct tree locks = {.before = futex_before}, moving = {.before = futex_before};

/* ---- the words ---- */

static uint32_t tid_of(const struct task *task)
{
	return (uint32_t)task->pid & FUTEX_TID_MASK;
}

/* Returns the word in the task's memory for writing; NULL: not writable. */
static uint32_t *word_of(const struct task *task, uint64_t addr)
{
	return task->mm ? mm_writable(task->mm, addr) : NULL;
}

static bool exchange(uint32_t *word, uint32_t *old, uint32_t new)
{
	return __atomic_compare_exchange_n(word, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* ---- locks ---- */

static struct pi_lock *find_lock(const struct futex_key *key)
{
	struct futex_place *place = futex_first(&locks, key);

	return place ? container_of(place, struct pi_lock, place) : NULL;
}

int futex_pi_waits(const struct futex_key *key)
{
	return futex_first(&moving, key) || find_lock(key) ? -EINVAL : 0;
}

static void disown(struct pi_lock *lock)
{
	*lock->link_owned = lock->next_owned;
	if (lock->next_owned)
		lock->next_owned->link_owned = lock->link_owned;
	task_put(lock->owner);
}

static void set_owner(struct pi_lock *lock, struct task *owner)
{
	if (lock->owner)
		disown(lock);
	lock->owner = owner;
	if (!owner)
		return;
	task_get(owner);
	lock->next_owned = owner->locks_owned;
	if (lock->next_owned)
		lock->next_owned->link_owned = &lock->next_owned;
	lock->link_owned = &owner->locks_owned;
	owner->locks_owned = lock;
}

static struct pi_lock *new_lock(const struct futex_key *key, struct task *owner)
{
	struct pi_lock *lock = kalloc(sizeof(*lock));

	if (!lock)
		return NULL;
	lock->place.key = *key;
	list_init(&lock->waiters);
	futex_place_insert(&locks, &lock->place);
	set_owner(lock, owner);
	return lock;
}

/* Frees a lock without waiters: the user's word holds its whole state. */
static void drop_unwanted(struct pi_lock *lock)
{
	if (!list_empty(&lock->waiters))
		return;
	set_owner(lock, NULL);
	futex_place_remove(&locks, &lock->place);
	kfree(lock);
}

static void leave_lock(struct pi_waiter *waiter)
{
	struct pi_lock *lock = waiter->lock;

	list_remove(&waiter->link);
	waiter->task->waits_for = NULL;
	waiter->lock = NULL;
	drop_unwanted(lock);
}

static void finish(struct pi_waiter *waiter, int result)
{
	waiter->done = true;
	waiter->result = result;
	waitq_wake(&waiter->queue);
}

/* Passes ownership to the first waiter. `died`: the previous owner did not unlock it. */
static int pass_on(struct pi_lock *lock, bool died)
{
	struct pi_waiter *next = container_of(lock->waiters.next, struct pi_waiter, link);
	uint32_t *word = word_of(next->task, next->addr);

	if (word) /* whatever it holds: writing the word does not make a task the owner */
		__atomic_store_n(word,
				 (died ? FUTEX_OWNER_DIED : 0) | FUTEX_WAITERS | tid_of(next->task),
				 __ATOMIC_SEQ_CST);
	set_owner(lock, next->task);
	leave_lock(next);
	finish(next, word ? 0 : -EFAULT);
	return word ? 0 : -EFAULT;
}

void futex_owner_exit(struct task *task)
{
	while (task->locks_owned)
		pass_on(task->locks_owned, true);
}

/* True if the task would wait for itself. */
static bool deadlocks(const struct task *task, const struct pi_lock *lock)
{
	for (unsigned i = 0; i < CHAIN_LONGEST; i++) {
		const struct pi_waiter *waiter = lock->owner->waits_for;

		if (lock->owner == task)
			return true;
		if (!waiter)
			return false;
		lock = waiter->lock;
	}
	return true;
}

/* ---- taking ---- */

/* Checks that the word agrees with the kernel's state of the lock: 0 or -EINVAL. */
static int check_lock(const struct pi_lock *lock, uint32_t word)
{
	uint32_t tid = word & FUTEX_TID_MASK;

	if (!tid && word & FUTEX_OWNER_DIED)
		return 0;
	return tid == tid_of(lock->owner) ? 0 : -EINVAL;
}

/* Makes the lock for the owner that the word names: *lock; or -EAGAIN (the word changed), -EPERM,
 * -ESRCH, -ENOMEM. */
static int attach(const struct futex_key *key, uint32_t *word, uint32_t value,
		  struct pi_lock **lock)
{
	struct task *owner = task_find((int)(value & FUTEX_TID_MASK));
	int err = 0;

	if (!owner || owner->locks_over)
		err = __atomic_load_n(word, __ATOMIC_RELAXED) == value ? -ESRCH : -EAGAIN;
	else if (owner->kernel_thread)
		err = -EPERM;
	if (!err) {
		*lock = new_lock(key, owner);
		err = *lock ? 0 : -ENOMEM;
	}
	if (owner)
		task_put(owner);
	return err;
}

/*
 * Takes the lock for the task, or finds the lock to wait for: 1 (taken), 0 and *lock, or a negative
 * errno (-EAGAIN: the word keeps changing). `addr` is in the task's memory; `waiters`: others will
 * wait.
 */
static int futex_pi_take(struct task *task, uint64_t addr, const struct futex_key *key,
			 bool waiters, struct pi_lock **lock)
{
	uint32_t *word = word_of(task, addr), old;
	int err = -EAGAIN;

	if (!word)
		return -EFAULT;
	for (unsigned tries = 0; err == -EAGAIN && tries < FUTEX_TRIES_AT_ONCE; tries++) {
		old = __atomic_load_n(word, __ATOMIC_RELAXED);
		if ((old & FUTEX_TID_MASK) == tid_of(task))
			return -EDEADLK;
		*lock = find_lock(key);
		if (*lock)
			return check_lock(*lock, old);
		if (!(old & FUTEX_TID_MASK)) {
			if (exchange(word, &old,
				     (old & FUTEX_OWNER_DIED) | (waiters ? FUTEX_WAITERS : 0) |
					 tid_of(task)))
				return 1;
		} else if (exchange(word, &old, old | FUTEX_WAITERS)) {
			err = attach(key, word, old | FUTEX_WAITERS, lock);
		}
	}
	return err;
}

/* Adds the waiter to the lock: 0 or -EDEADLK. */
static int join(struct pi_waiter *waiter, struct pi_lock *lock)
{
	if (deadlocks(waiter->task, lock)) {
		drop_unwanted(lock);
		return -EDEADLK;
	}
	waiter->lock = lock;
	waiter->task->waits_for = waiter;
	list_add_tail(&lock->waiters, &waiter->link);
	return 0;
}

/* Sleeps until the waiter is given the lock or an error, or its deadline. */
static int sleep(struct pi_waiter *waiter, uint64_t deadline_ns)
{
	struct waiter sleeper;
	int err = 0;

	waitq_add(&waiter->queue, &sleeper);
	while (!waiter->done && !err)
		err = waitq_sleep(deadline_ns);
	waitq_remove(&sleeper);
	if (waiter->done)
		return waiter->result;
	if (waiter->lock)
		leave_lock(waiter);
	futex_place_remove(&moving, &waiter->word);
	return err;
}

static void waiter_init(struct pi_waiter *waiter, uint64_t addr)
{
	waiter->task = current_task();
	waiter->addr = addr;
	waitq_init(&waiter->queue);
	list_init(&waiter->link);
}

long futex_lock(uint64_t addr, uint64_t deadline_ns, bool private, bool try)
{
	struct pi_waiter waiter = {0};
	struct pi_lock *lock;
	struct futex_key key;
	int result = futex_key_of(addr, private, &key);

	if (result)
		return result;
	do /* the writer of the word may itself be waiting for the kernel lock */
		result = futex_pi_take(current_task(), addr, &key, false, &lock);
	while (result == -EAGAIN && sched_pause());
	if (result)
		return result < 0 ? result : 0;
	if (try) {
		drop_unwanted(lock);
		return -EAGAIN;
	}
	waiter_init(&waiter, addr);
	result = join(&waiter, lock);
	return result ? result : sleep(&waiter, deadline_ns);
}

long futex_unlock(uint64_t addr, bool private)
{
	struct task *task = current_task();
	struct futex_key key;
	struct pi_lock *lock;
	uint32_t *word, old;

	/* A caller that does not own the lock gets EPERM before other errors. */
	if (copy_from_user(&old, addr, sizeof(old)))
		return -EFAULT;
	if ((old & FUTEX_TID_MASK) != tid_of(task))
		return -EPERM;
	if (futex_key_of(addr, private, &key))
		return addr % sizeof(old) ? -EINVAL : -EFAULT;
	word = word_of(task, addr);
	if (!word)
		return -EFAULT;
	lock = find_lock(&key);
	if (lock)
		return lock->owner == task ? pass_on(lock, false) : -EINVAL;
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	while ((old & FUTEX_TID_MASK) == tid_of(task))
		if (exchange(word, &old, 0))
			return 0;
	return -EPERM;
}

/* ---- moving to a lock ---- */

long futex_wait_lock(uint64_t addr, uint32_t expected, uint64_t deadline_ns, uint64_t lock,
		     bool private)
{
	struct pi_waiter waiter = {0};
	int err;

	if (addr == lock)
		return -EINVAL;
	waiter_init(&waiter, lock);
	err = futex_key_of(lock, private, &waiter.target);
	if (!err)
		err = futex_key_of(addr, private, &waiter.word.key);
	if (!err)
		err = futex_compare(addr, expected);
	if (!err && futex_same(&waiter.word.key, &waiter.target))
		err = -EINVAL;
	if (err)
		return err;
	futex_key_hold(&waiter.target);
	futex_place_insert(&moving, &waiter.word);
	err = sleep(&waiter, deadline_ns);
	futex_key_drop(&waiter.target);
	/* It waits for the lock, so the call cannot be restarted. */
	return err == -EINTR && waiter.moved ? -EAGAIN : err;
}

static struct pi_waiter *first_moving(const struct futex_key *word)
{
	struct futex_place *place = futex_first(&moving, word);

	return place ? container_of(place, struct pi_waiter, word) : NULL;
}

/* Requeues one waiter to the lock: 1, or a negative errno. `more`: others will follow. */
static int move_one(struct pi_waiter *waiter, const struct futex_key *target, bool more)
{
	struct pi_lock *lock;
	int result;

	if (!futex_same(&waiter->target, target))
		return -EINVAL;
	result = futex_pi_take(waiter->task, waiter->addr, target, more, &lock);
	if (result < 0)
		return result;
	if (!result && (result = join(waiter, lock)))
		return result;
	futex_place_remove(&moving, &waiter->word);
	waiter->moved = true;
	if (!waiter->lock)
		finish(waiter, 0);
	return 1;
}

long futex_requeue_lock(uint64_t addr, uint64_t lock, unsigned move, uint32_t expected,
			bool private)
{
	struct futex_key word, target;
	struct pi_waiter *waiter;
	long count = 0;
	int err;

	if (addr == lock)
		return -EINVAL;
	err = futex_key_of(addr, private, &word);
	if (!err)
		err = futex_key_of(lock, private, &target);
	if (!err && futex_same(&word, &target))
		err = -EINVAL;
	if (!err)
		err = futex_compare(addr, expected);
	if (!err && futex_plain_waits(&word))
		err = -EINVAL;
	while (!err && count < (long)move + 1 && (waiter = first_moving(&word))) {
		int result = move_one(waiter, &target, move);

		if (result < 0)
			err = result;
		else
			count++;
	}
	return count ? count : err;
}
