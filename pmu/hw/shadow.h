/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of which task code and the PMI each change some bits. */
#ifndef PMU_SHADOW_H
#define PMU_SHADOW_H

#include <stdint.h>
#include "arch/x86/cpu/cpu.h"

/*
 * Clears and sets bits of the register, whose copy is *shadow. Repeats the write if a PMI changed
 * other bits in between. Context: any.
 */
static inline void shadow_write(uint64_t *shadow, uint32_t msr, uint64_t clear, uint64_t set)
{
	uint64_t value = __atomic_load_n(shadow, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(shadow, &value, (value & ~clear) | set, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	do {
		value = __atomic_load_n(shadow, __ATOMIC_RELAXED);
		wrmsr(msr, value);
	} while (__atomic_load_n(shadow, __ATOMIC_RELAXED) != value);
}

#endif
