/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for the kernel lock. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/kernel_lock.h"
#include "arch/x86/trap/remote.h"

#define PASS_SPINS 100

uint32_t kernel_lock_word;

void kernel_lock(void)
{
	while (__atomic_exchange_n(&kernel_lock_word, 1, __ATOMIC_ACQUIRE)) {
		do {
			remote_serve();
			cpu_relax();
		} while (__atomic_load_n(&kernel_lock_word, __ATOMIC_RELAXED));
	}
	this_cpu()->locked = 1;
}

void kernel_lock_pass(void)
{
	irq_disable();
	kernel_unlock();
	for (unsigned i = 0; i < PASS_SPINS; i++) {
		remote_serve();
		cpu_relax();
	}
	kernel_lock();
	irq_enable();
}
