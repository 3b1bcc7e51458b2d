/* SPDX-License-Identifier: BSD-2-Clause */
/* Trusts no register before a write has been read back. */
#include "arch/x86/cpu.h"
#include "pmu/hw.h"

bool hw_register_works(uint32_t msr, uint64_t pattern, uint64_t idle)
{
	uint64_t value;

	return wrmsr_safe(msr, pattern) && rdmsr_safe(msr, &value) && value == pattern &&
	       wrmsr_safe(msr, idle);
}
