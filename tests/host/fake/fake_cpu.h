/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's instructions in host tests: the PMU model answers MSRs, RDPMC and CPUID. */
#ifndef TESTS_HOST_FAKE_CPU_H
#define TESTS_HOST_FAKE_CPU_H

#include <stdbool.h>
#include <stdint.h>

#define RFLAGS_IF (1ul << 9)

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf);
uint64_t rdtsc(void);
/* An access that would raise #GP ends the test, except by the _safe functions. */
uint64_t rdpmc(uint32_t index);
uint64_t rdmsr(uint32_t msr);
void wrmsr(uint32_t msr, uint64_t value);
bool rdmsr_safe(uint32_t msr, uint64_t *value);
bool wrmsr_safe(uint32_t msr, uint64_t value);
uint64_t irq_save(void);
void irq_restore(uint64_t flags);
void irq_disable(void);
void irq_enable(void);
uint64_t read_cr4(void);
void write_cr4(uint64_t value);

static inline void cpu_relax(void)
{
}

#endif
