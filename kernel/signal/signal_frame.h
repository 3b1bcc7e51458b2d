/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's side of signal delivery: frames on its stack, sigaltstack(2). Context of all: task,
 * unless noted. */
#ifndef KERNEL_SIGNAL_FRAME_H
#define KERNEL_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include "kernel/signal/signal.h"

/* Builds the frame; false if the stack is not writable. */
bool signal_frame_push(struct frame *frame, const struct signal_action *action,
		       const siginfo_t *info, uint64_t mask);
/* Returns the size of the largest frame: AT_MINSIGSTKSZ. Context: any. */
size_t signal_frame_bytes(void);
/* rt_sigreturn: restores the frame; false if it is unreadable or malformed. */
bool signal_frame_pop(struct frame *frame);

/* sigaltstack(2): 0, -EPERM (in use), -EINVAL, -ENOMEM (too small). */
int signal_set_altstack(struct task *task, const stack_t *stack);
void signal_get_altstack(const struct task *task, stack_t *stack);

#endif
