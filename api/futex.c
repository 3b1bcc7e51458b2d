/* SPDX-License-Identifier: BSD-2-Clause */
/* futex(2), set_robust_list(2). */
#include <linux/errno.h>
#include <linux/futex.h>
#include "api/calls.h"
#include "api/clock.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/fs/permission.h"
#include "kernel/time/clock.h"
#include "kernel/task/cred.h"
#include "kernel/ipc/futex.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"
#include "kernel/task/waitq.h"

struct user_timespec {
	int64_t seconds, nanoseconds;
};

/* The deadline of FUTEX_WAIT (relative) and FUTEX_WAIT_BITSET (absolute, on either clock). */
static int wait_deadline(unsigned command, bool real, uint64_t user, uint64_t *deadline)
{
	struct user_timespec time;
	int64_t ns;

	if (command == FUTEX_WAIT || !user)
		return deadline_from_user(user, deadline);
	if (copy_from_user(&time, user, sizeof(time)))
		return -EFAULT;
	ns = timespec_ns(time.seconds, time.nanoseconds);
	if (ns < 0)
		return (int)ns;
	if (real)
		ns -= clock_real_ns() - (int64_t)clock_ns();
	*deadline = ns > 0 ? (uint64_t)ns : 0;
	return 0;
}

long sys_futex(uint64_t addr, uint64_t operation, uint64_t value, uint64_t timeout, uint64_t addr2,
	       uint64_t value3)
{
	unsigned command = (unsigned)operation & FUTEX_CMD_MASK;
	bool private = operation & FUTEX_PRIVATE_FLAG, real = operation & FUTEX_CLOCK_REALTIME;
	uint32_t bits = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET
			    ? (uint32_t)value3
			    : FUTEX_BITSET_MATCH_ANY;
	const uint32_t expected = (uint32_t)value3;
	uint64_t deadline;
	int err;

	if (real && command != FUTEX_WAIT_BITSET)
		return -ENOSYS;
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		if (!bits)
			return -EINVAL;
		err = wait_deadline(command, real, timeout, &deadline);
		return deadline_done(
		    err ? err : futex_wait(addr, (uint32_t)value, bits, deadline, private));
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return bits ? futex_wake(addr, (unsigned)value, bits, private) : -EINVAL;
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		if ((int)value < 0 || (int)timeout < 0)
			return -EINVAL;
		return futex_requeue(addr, (unsigned)value, addr2, (unsigned)timeout,
				     command == FUTEX_CMP_REQUEUE ? &expected : NULL, private);
	case FUTEX_WAKE_OP:
		return futex_wake_op(addr, (unsigned)value, addr2, (unsigned)timeout,
				     (uint32_t)value3, private);
	default:
		return -ENOSYS;
	}
}

long sys_set_robust_list(uint64_t list, uint64_t bytes)
{
	if (bytes != sizeof(struct robust_list_head))
		return -EINVAL;
	current_task()->robust_list = list;
	return 0;
}

long sys_get_robust_list(uint64_t pid, uint64_t list_user, uint64_t bytes_user)
{
	const uint64_t bytes = sizeof(struct robust_list_head);
	struct task *task = task_find(pid ? (int)pid : current_task()->pid);
	uint64_t list;
	bool allowed;

	if (!task)
		return -ESRCH;
	list = task->robust_list;
	allowed = may_inspect(task, false);
	task_put(task);
	if (!allowed)
		return -EPERM;
	if (copy_to_user(bytes_user, &bytes, sizeof(bytes)))
		return -EFAULT;
	return copy_to_user(list_user, &list, sizeof(list));
}
