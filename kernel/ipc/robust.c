/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of the futexes that a thread held when it ends: Linux
 * Documentation/locking/robust-futex-ABI.rst. */
#include <linux/futex.h>
#include "kernel/ipc/futex.h"
#include "kernel/ipc/robust.h"
#include "kernel/task/task.h"
#include "kernel/mem/user.h"
#include "kernel/vm/vm.h"

#define PRIORITY_INHERITED 1ul /* in a pointer to an entry; such futexes are not there */

/* Marks one futex, if the task holds it, and wakes one who waits. */
static void owner_died(struct task *task, uint64_t addr, bool pending)
{
	uint32_t *word = addr % sizeof(*word) ? NULL : mm_writable(task->mm, addr);
	uint32_t old;

	if (!word)
		return;
	old = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (pending && !old) { /* it was about to be unlocked: the wake-up may be missing */
		futex_wake(addr, 1, FUTEX_BITSET_MATCH_ANY, false);
		return;
	}
	do {
		if ((old & FUTEX_TID_MASK) != (uint32_t)task->pid)
			return;
	} while (!__atomic_compare_exchange_n(word, &old, (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED,
					      false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	if (old & FUTEX_WAITERS)
		futex_wake(addr, 1, FUTEX_BITSET_MATCH_ANY, false);
}

void robust_list_exit(struct task *task)
{
	uint64_t list = task->robust_list, entry, next, pending;
	struct robust_list_head head;

	task->robust_list = 0;
	if (!list || copy_from_user(&head, list, sizeof(head)))
		return;
	pending = (uint64_t)head.list_op_pending & ~PRIORITY_INHERITED;
	entry = (uint64_t)head.list.next;
	for (unsigned i = 0; entry != list && i < ROBUST_LIST_LIMIT; i++, entry = next) {
		uint64_t at = entry & ~PRIORITY_INHERITED;
		bool last = copy_from_user(&next, at, sizeof(next));

		/* The entry is read first: its memory may be another's once it is unlocked. */
		if (at != pending && !(entry & PRIORITY_INHERITED))
			owner_died(task, at + (uint64_t)head.futex_offset, false);
		if (last)
			return;
	}
	if (pending)
		owner_died(task, pending + (uint64_t)head.futex_offset, true);
}
