/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls from arch/ up into the kernel, for traps. */
#ifndef ARCH_X86_TRAP_HOOKS_H
#define ARCH_X86_TRAP_HOOKS_H

#include <stdint.h>
#include "arch/x86/cpu/frame.h"

/* Handlers that kernel/ and pmu/ set at start. Each except debug_hit and breakpoint may sleep, and
 * runs on the task's kernel stack with interrupts enabled. */
struct trap_hooks {
	/*
	 * A page fault of ring 3, or of a user copy, on a user address. 0: retry the instruction
	 * (or, for ring 3, a signal is queued); negative errno: the user copy fails.
	 */
	int (*page_fault)(struct frame *frame, uint64_t address);
	/* Any other exception of ring 3 (and its page faults on kernel addresses): queues the
	 * signal. `address`: CR2 of #PF, DR6 of #DB. */
	void (*exception)(struct frame *frame, unsigned vector, uint64_t address);
	/* Debug registers were hit: `status` is DR6. Returns the bits that are not from these hits.
	 * Interrupts are masked; in ring 0 it comes at any instruction, like an NMI. */
	uint64_t (*debug_hit)(struct frame *frame, uint64_t status);
	/* A breakpoint in ring 0, at any instruction like an NMI, interrupts masked. False: it is
	 * not one of ours. NULL: there are none. */
	bool (*breakpoint)(struct frame *frame);
	/* Before a return to ring 3, when this_cpu()->return_work was set (it is cleared before the
	 * call): signals, rescheduling. */
	void (*user_return)(struct frame *frame);
	/* The kernel itself is at fault: prints the reason (`frame` may be NULL) and stops the
	 * machine. Context: any. */
	void (*fatal)(struct frame *frame, const char *why);
};

extern struct trap_hooks trap_hooks;

#endif
