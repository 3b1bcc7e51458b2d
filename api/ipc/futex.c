/* SPDX-License-Identifier: BSD-2-Clause */
/* futex(2), set_robust_list(2). */
#include <linux/errno.h>
#include <linux/futex.h>
#include <linux/time.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/frame.h"
#include "kernel/fs/permission.h"
#include "kernel/ipc/futex.h"
#include "kernel/ipc/futex_pi.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"
#include "kernel/task/waitq.h"
#include "kernel/time/clock.h"

struct user_timespec {
	int64_t seconds, nanoseconds;
};

/* Computes the deadline of FUTEX_WAIT (relative) and of the other operations (absolute, on either
 * clock). */
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

/* The arguments of a call on locks. */
struct lock_call {
	uint64_t addr;
	unsigned command;
	bool real, private;
	uint32_t value;
	uint64_t timeout, addr2;
	uint32_t expected;
};

/* Calls that wait for a lock are restarted after a handler regardless of SA_RESTART; their
 * deadlines are absolute. */
static long again_if_interrupted(long result)
{
	struct frame *frame = task_user_frame(current_task());

	if (result != -EINTR)
		return result;
	frame->rip -= SYSCALL_BYTES;
	return (long)frame->error;
}

/* The waiting calls: FUTEX_LOCK_PI (real-time clock), FUTEX_LOCK_PI2, FUTEX_WAIT_REQUEUE_PI. */
static long lock_wait(const struct lock_call *call)
{
	uint64_t deadline;
	long result = wait_deadline(call->command, call->real || call->command == FUTEX_LOCK_PI,
				    call->timeout, &deadline);

	if (result)
		return result;
	result =
	    call->command == FUTEX_WAIT_REQUEUE_PI
		? futex_wait_lock(call->addr, call->value, deadline, call->addr2, call->private)
		: futex_lock(call->addr, deadline, call->private, false);
	deadline_done(0);
	return again_if_interrupted(result);
}

static long lock_call(const struct lock_call *call)
{
	switch (call->command) {
	case FUTEX_TRYLOCK_PI:
		return futex_lock(call->addr, 0, call->private, true);
	case FUTEX_UNLOCK_PI:
		return futex_unlock(call->addr, call->private);
	case FUTEX_CMP_REQUEUE_PI:
		if (call->value != 1 || (int)call->timeout < 0)
			return -EINVAL;
		return futex_requeue_lock(call->addr, call->addr2, (unsigned)call->timeout,
					  call->expected, call->private);
	default:
		return lock_wait(call);
	}
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

	if (real && command != FUTEX_WAIT_BITSET && command != FUTEX_WAIT_REQUEUE_PI &&
	    command != FUTEX_LOCK_PI2)
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
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
	case FUTEX_UNLOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_CMP_REQUEUE_PI:
		return lock_call(&(struct lock_call){addr, command, real, private, (uint32_t)value,
						     timeout, addr2, expected});
	default:
		return -ENOSYS;
	}
}

long sys_futex_waitv(uint64_t user, uint64_t count, uint64_t flags, uint64_t timeout,
		     uint64_t clock)
{
	struct futex_waitv *words;
	uint64_t deadline;
	long result;

	if (flags || !count || count > FUTEX_WAITV_MAX || !user)
		return -EINVAL;
	if (timeout && (int)clock != CLOCK_MONOTONIC && (int)clock != CLOCK_REALTIME)
		return -EINVAL;
	result = wait_deadline(FUTEX_WAIT_BITSET, (int)clock == CLOCK_REALTIME, timeout, &deadline);
	if (result)
		return result;
	words = kalloc(count * sizeof(*words));
	if (!words)
		return -ENOMEM;
	result = copy_from_user(words, user, count * sizeof(*words));
	for (uint64_t i = 0; i < count && !result; i++)
		if ((words[i].flags & ~(uint32_t)FUTEX_PRIVATE_FLAG) != FUTEX_32 ||
		    words[i].__reserved || words[i].val > UINT32_MAX)
			result = -EINVAL;
	if (!result)
		result = futex_wait_any(words, (unsigned)count, deadline);
	kfree(words);
	return deadline_done(result);
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
