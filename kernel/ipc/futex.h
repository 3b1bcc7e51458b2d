/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeping on a word of user memory: futex(2). */
#ifndef KERNEL_FUTEX_H
#define KERNEL_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sleeps while the word at `addr` holds `expected`, until woken with a common bit of `bits` or the
 * deadline on clock_ns(). `private`: only this process uses the word. Returns 0, -EAGAIN, -EINTR,
 * -ETIMEDOUT, -EFAULT. Context: task.
 */
long futex_wait(uint64_t addr, uint32_t expected, uint32_t bits, uint64_t deadline_ns,
		bool private);
struct futex_waitv;
/* Sleeps while each of `count` words holds its expected value (flags checked, 32 bits). Returns the
 * index of the woken one, or as futex_wait(), or -ENOMEM. Context: task. */
long futex_wait_any(const struct futex_waitv *words, unsigned count, uint64_t deadline_ns);
/* Wakes at most `count` sleepers; returns how many or -EFAULT. Context: task. */
long futex_wake(uint64_t addr, unsigned count, uint32_t bits, bool private);
/* FUTEX_WAKE_OP: changes the word at `addr2` by `operation`; wakes `count` of `addr`, and `count2`
 * of `addr2` if its old value satisfies the comparison. Returns how many, -EFAULT, -ENOSYS.
 * Context: task. */
long futex_wake_op(uint64_t addr, unsigned count, uint64_t addr2, unsigned count2,
		   uint32_t operation, bool private);
/* Wakes `count` and requeues at most `move` others to `to`, if the word at `addr` holds *expected
 * (NULL: any value). Returns how many, -EAGAIN, -EFAULT. Context: task. */
long futex_requeue(uint64_t addr, unsigned count, uint64_t to, unsigned move,
		   const uint32_t *expected, bool private);

#endif
