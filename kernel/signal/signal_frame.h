/* SPDX-License-Identifier: BSD-2-Clause */
/* The user's side of a signal's delivery: frames on its stack, sigaltstack(2). Context of all:
 * task, where nothing else is said. */
#ifndef KERNEL_SIGNAL_FRAME_H
#define KERNEL_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include "kernel/signal/signal.h"

/* Builds the frame; false when the stack is not writable. */
bool signal_frame_push(struct frame *frame, const struct signal_action *action,
		       const siginfo_t *info, uint64_t mask);
/* Bytes of the largest frame: AT_MINSIGSTKSZ. Context: any. */
size_t signal_frame_bytes(void);
/* rt_sigreturn: restores the frame; false when it is not readable or malformed. */
bool signal_frame_pop(struct frame *frame);

/* sigaltstack(2): 0, -EPERM (in use), -EINVAL, -ENOMEM (too small). */
int signal_set_altstack(struct task *task, const stack_t *stack);
void signal_get_altstack(const struct task *task, stack_t *stack);

#endif
