/* SPDX-License-Identifier: BSD-2-Clause */
/* A simple spinlock, with and without masking interrupts. Never taken in an NMI. */
#ifndef ARCH_X86_SPINLOCK_H
#define ARCH_X86_SPINLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu.h"

struct spinlock {
	volatile uint32_t held;
};

/* Spins until the lock is held. Context: task or interrupt, interrupts already masked. */
static inline void spin_lock(struct spinlock *lock)
{
	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		cpu_relax();
}

static inline void spin_unlock(struct spinlock *lock)
{
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

/* Masks interrupts, takes the lock, and returns the flags for spin_unlock_irqrestore(). */
static inline uint64_t spin_lock_irqsave(struct spinlock *lock)
{
	uint64_t flags = irq_save();

	spin_lock(lock);
	return flags;
}

static inline void spin_unlock_irqrestore(struct spinlock *lock, uint64_t flags)
{
	spin_unlock(lock);
	irq_restore(flags);
}

#endif
