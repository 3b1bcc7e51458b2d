/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of system calls that the kernel needs when a signal interrupts one; api/table.c
 * provides them. */
#ifndef KERNEL_SYSCALL_H
#define KERNEL_SYSCALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

/* True if the call restarts after an SA_RESTART handler: signal(7). Context: any. */
bool syscall_restarts(uint64_t number);
/* True if the call restarts if no handler ran. Context: any. */
bool syscall_continues(uint64_t number);

/* The calls by number, NULL: there is none. */
typedef long syscall_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
extern const void *const syscall_table[];
extern const uint32_t nr_syscalls; /* rows of it */
/* Handles a number without an entry: logs it once. Returns -ENOSYS. Context: task. */
long syscall_unknown(uint32_t number);

/* Makes the call that the frame requests: returns its result. Context: task. */
static inline long syscall_dispatch(struct frame *frame)
{
	uint32_t number = (uint32_t)frame->error;
	syscall_fn *call = number < nr_syscalls ? (syscall_fn *)syscall_table[number] : NULL;

	if (!call)
		return syscall_unknown(number);
	return call(frame->rdi, frame->rsi, frame->rdx, frame->r10, frame->r8, frame->r9);
}

/* Makes a traced call: syscall_dispatch(), or a wrapper that a tracer installed. */
extern long (*syscall_make)(struct frame *frame);

#endif
