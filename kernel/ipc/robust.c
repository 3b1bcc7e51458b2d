/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of the futexes that a thread held when it ends: Linux
 * Documentation/locking/robust-futex-ABI.rst. */
#include <linux/futex.h>
#include "kernel/ipc/futex.h"
#include "kernel/ipc/futex_pi.h"
#include "kernel/ipc/robust.h"
#include "kernel/task/task.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vm.h"

#define PRIORITY_INHERITED 1ul /* in a pointer to an entry: futex_pi.h wakes those */

/* Marks one futex, if the task holds it, and wakes one who waits. */
static void owner_died(struct task *task, uint64_t addr, bool pending, bool inherited)
{
	uint32_t *word = addr % sizeof(*word) ? NULL : mm_writable(task->mm, addr);
	uint32_t old;

	if (!word)
		return;
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (pending && !inherited &&
	    !old) { /* it was about to be unlocked: the wake-up may be missing */
		futex_wake(addr, 1, FUTEX_BITSET_MATCH_ANY, false);
		return;
	}
	do {
		if ((old & FUTEX_TID_MASK) != (uint32_t)task->pid)
			return;
	} while (!__atomic_compare_exchange_n(word, &old, (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED,
					      false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	if (old & FUTEX_WAITERS && !inherited)
		futex_wake(addr, 1, FUTEX_BITSET_MATCH_ANY, false);
}

/* Marks all that the task holds. */
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

		/* The entry is read first: its memory may be another's once it is unlocked. */
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
