/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-processor data. */
#include <stddef.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/percpu.h"

_Static_assert(offsetof(struct cpu, self) == 0, "entry.asm");
_Static_assert(offsetof(struct cpu, kernel_stack) == 8, "entry.asm");
_Static_assert(offsetof(struct cpu, user_stack) == 16, "entry.asm");
_Static_assert(offsetof(struct cpu, current) == 24, "entry.asm");
_Static_assert(offsetof(struct cpu, return_work) == 32, "entry.asm");
_Static_assert(offsetof(struct cpu, locked) == 36, "entry.asm");
_Static_assert(offsetof(struct cpu, debug.control) == 40, "entry.asm");

struct cpu boot_cpu = {.self = &boot_cpu};

uint32_t nr_cpus = 1;
struct cpu *cpus[MAX_CPUS] = {&boot_cpu};

void percpu_load(struct cpu *cpu)
{
	wrmsr(MSR_GS_BASE, (uint64_t)cpu);
	wrmsr(MSR_KERNEL_GS_BASE, 0);
}

uint64_t percpu_interrupts(const struct cpu *cpu)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < COUNTED_VECTORS; i++)
		sum += cpu->interrupts[i];
	return sum;
}
