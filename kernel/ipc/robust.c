/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles the futexes that a thread holds when it ends: Linux
 * Documentation/locking/robust-futex-ABI.rst. */
#include <linux/futex.h>
#include "kernel/ipc/futex.h"
#include "kernel/ipc/futex_key.h"
#include "kernel/ipc/futex_pi.h"
#include "kernel/ipc/robust.h"
#include "kernel/mem/user.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/vm/vm.h"

#define ROUNDS_MAX         64  /* in which a word is tried, with pauses */
#define PRIORITY_INHERITED 1ul /* in a pointer to an entry: futex_pi.h wakes its waiters */

/* Wakes one waiter; errors are ignored. */
static void wake_one(uint64_t addr)
{
	futex_wake(addr, 1, FUTEX_BITSET_MATCH_ANY, false);
}

/* Marks one futex, if the task holds it, and wakes a waiter. False: another processor keeps
 * changing it. */
static bool mark(struct task *task, uint64_t addr, bool pending, bool inherited)
{
	uint32_t *word = addr % sizeof(*word) ? NULL : mm_writable(task->mm, addr);
	uint32_t old;

	if (!word)
		return true;
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (pending && !inherited && !old) {
		wake_one(addr); /* it was about to be unlocked: the wake-up may be missing */
		return true;
	}
	for (unsigned tries = 0; tries < FUTEX_TRIES_AT_ONCE; tries++) {
		if ((old & FUTEX_TID_MASK) != (uint32_t)task->pid)
			return true;
		if (!__atomic_compare_exchange_n(word, &old,
						 (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			continue;
		if (old & FUTEX_WAITERS && !inherited)
			wake_one(addr);
		return true;
	}
	return false;
}

/* A word that keeps changing is left alone: only its own threads change it. */
static void owner_died(struct task *task, uint64_t addr, bool pending, bool inherited)
{
	for (unsigned i = 0; i < ROUNDS_MAX && !mark(task, addr, pending, inherited); i++)
		sched_pause();
}

/* Marks all futexes that the task holds. */
static void walk(struct task *task, uint64_t list)
{
	uint64_t entry, next, pending, inherited;
	struct robust_list_head head;

	if (copy_from_user(&head, list, sizeof(head)))
		return;
	pending = (uint64_t)head.list_op_pending & ~PRIORITY_INHERITED;
	inherited = (uint64_t)head.list_op_pending & PRIORITY_INHERITED;
	entry = (uint64_t)head.list.next;
	for (unsigned i = 0; entry != list && i < ROBUST_LIST_LIMIT; i++, entry = next) {
		uint64_t at = entry & ~PRIORITY_INHERITED;
		bool last = copy_from_user(&next, at, sizeof(next));

		/* Reads the entry first: its memory may be reused once it is unlocked. */
		if (at != pending)
			owner_died(task, at + (uint64_t)head.futex_offset, false,
				   entry & PRIORITY_INHERITED);
		if (last)
			return;
	}
	if (pending)
		owner_died(task, pending + (uint64_t)head.futex_offset, true, inherited);
}

void robust_list_exit(struct task *task)
{
	uint64_t list = task->robust_list;

	task->robust_list = 0;
	task->locks_over = true;
	if (list)
		walk(task, list);
	if (task->locks_owned)
		futex_owner_exit(task);
}
