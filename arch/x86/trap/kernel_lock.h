/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel lock: with more than one processor, who runs kernel code holds it. It belongs to the
 * processor, not to the task: a task that sleeps hands it to the next one.
 *
 * Taken on the way in from ring 3 and by interrupts that come while the processor idles; released
 * on the way out and while idling. Never taken by NMIs, nor by interrupts that only serve another
 * processor (remote.h). While it waits the processor serves remote calls. With one processor nobody
 * takes it.
 */
#ifndef ARCH_X86_KERNEL_LOCK_H
#define ARCH_X86_KERNEL_LOCK_H

#include <stdbool.h>
#include "arch/x86/cpu/percpu.h"

extern uint32_t kernel_lock_word; /* 1: held; entry.asm takes it, too */

/* Waits until this processor holds it. Context: interrupts masked, not held. */
void kernel_lock(void);

/* Context: interrupts masked, held. */
static inline void kernel_unlock(void)
{
	this_cpu()->locked = 0;
	__atomic_store_n(&kernel_lock_word, 0, __ATOMIC_RELEASE);
}

/* Takes the lock if there is need to; true: the caller, or the way back to ring 3, releases it.
 * Context: interrupts masked. */
static inline bool kernel_enter(void)
{
	if (nr_cpus == 1 || this_cpu()->locked)
		return false;
	kernel_lock();
	return true;
}

/* Lets others have it for a moment. Context: task, held, interrupts enabled. */
void kernel_lock_pass(void);

#endif
