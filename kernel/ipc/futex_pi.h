/* SPDX-License-Identifier: BSD-2-Clause */
/* PI futexes: locks whose owner the kernel knows. The scheduler has no priorities, so none is
 * inherited; the kernel tracks owners, the next owner, deadlocks, and owners that die. */
#ifndef KERNEL_FUTEX_PI_H
#define KERNEL_FUTEX_PI_H

#include <stdbool.h>
#include <stdint.h>

struct task;

/*
 * Takes the lock for the current task; `try`: without waiting (-EAGAIN). Deadlines are on
 * clock_ns(). Returns 0, -EDEADLK, -EAGAIN, -EFAULT, -EINTR, -EINVAL (word and kernel disagree),
 * -ENOMEM, -EPERM, -ESRCH (the owner is gone), -ETIMEDOUT. Context of all: task.
 */
long futex_lock(uint64_t addr, uint64_t deadline_ns, bool private, bool try);
/* Passes the lock to the next waiter. Returns 0, -EPERM (not the owner), -EFAULT, -EINVAL. */
long futex_unlock(uint64_t addr, bool private);
/* Sleeps on an ordinary word until futex_requeue_lock() requeues it to the lock at `lock`, and then
 * until it owns the lock. Returns 0, -EAGAIN, -EFAULT, -EINTR, -EINVAL, -ETIMEDOUT. */
long futex_wait_lock(uint64_t addr, uint32_t expected, uint64_t deadline_ns, uint64_t lock,
		     bool private);
/* Gives the lock to the first waiter, if it is free, and requeues at most `move` others to it.
 * Returns how many tasks it has handled, or a negative errno. */
long futex_requeue_lock(uint64_t addr, uint64_t lock, unsigned move, uint32_t expected,
			bool private);
/* The task ends, or executes a program: passes its locks on. */
void futex_owner_exit(struct task *task);

#endif
