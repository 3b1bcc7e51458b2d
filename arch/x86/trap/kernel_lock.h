/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel lock: on SMP, a processor holds this lock while it runs kernel code. It belongs to the
 * processor, not to the task: a task that sleeps hands it to the next one.
 *
 * It is taken on entry from ring 3 and by interrupts that arrive while the processor idles; it is
 * released on exit to ring 3 and while idling. NMIs never take it, nor do interrupts that only
 * serve another processor (remote.h). A processor that waits for it serves remote calls. On a
 * single processor it is never taken.
 */
#ifndef ARCH_X86_KERNEL_LOCK_H
#define ARCH_X86_KERNEL_LOCK_H

#include <stdbool.h>
#include "arch/x86/cpu/percpu.h"

extern uint32_t kernel_lock_word; /* 1: held; entry.asm also takes it */

/* Waits for the lock and takes it. Context: interrupts masked, not held. */
void kernel_lock(void);

/* Context: interrupts masked, held. */
static inline void kernel_unlock(void)
{
	this_cpu()->locked = 0;
	__atomic_store_n(&kernel_lock_word, 0, __ATOMIC_RELEASE);
}

/* Takes the lock if necessary; true: the caller, or the return to ring 3, releases it. Context:
 * interrupts masked. */
static inline bool kernel_enter(void)
{
	if (nr_cpus == 1 || this_cpu()->locked)
		return false;
	kernel_lock();
	return true;
}

/* Lets another processor take it briefly. Context: task, held, interrupts enabled. */
void kernel_lock_pass(void);

#endif
