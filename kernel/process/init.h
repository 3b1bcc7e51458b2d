/* SPDX-License-Identifier: BSD-2-Clause */
/* Connects the kernel to the traps of arch/. */
#ifndef KERNEL_INIT_H
#define KERNEL_INIT_H

struct frame;

/* Sets trap_hooks: faults become signals, and signals are delivered at the return to ring 3.
 * Context: start, once. */
void trap_hooks_init(void);
/* Delivers pending signals. Context: before a return to ring 3. */
void signal_user_return(struct frame *frame);

#endif
