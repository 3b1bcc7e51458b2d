/* SPDX-License-Identifier: BSD-2-Clause */
/* What the table of system calls (api/table.c) tells the kernel about a call that a signal
 * interrupted. */
#ifndef KERNEL_SYSCALL_H
#define KERNEL_SYSCALL_H

#include <stdbool.h>
#include <stdint.h>

/* True when an SA_RESTART handler lets the call run again: signal(7). */
bool syscall_restarts(uint64_t number);
/* True when the call runs again if no handler ran. */
bool syscall_continues(uint64_t number);

struct frame;
/* Makes the call that the frame asks for: its result. Context: task. */
long syscall_dispatch(struct frame *frame);
/* What makes a call that is traced: syscall_dispatch, or who watches around it. */
extern long (*syscall_make)(struct frame *frame);

#endif
