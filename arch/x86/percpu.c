/* SPDX-License-Identifier: BSD-2-Clause */
/* The first processor's own data. */
#include <stddef.h>
#include "arch/x86/cpu.h"
#include "arch/x86/msr.h"
#include "arch/x86/percpu.h"

_Static_assert(offsetof(struct cpu, self) == 0, "entry.asm");
_Static_assert(offsetof(struct cpu, kernel_stack) == 8, "entry.asm");
_Static_assert(offsetof(struct cpu, user_stack) == 16, "entry.asm");
_Static_assert(offsetof(struct cpu, current) == 24, "entry.asm");
_Static_assert(offsetof(struct cpu, return_work) == 32, "entry.asm");

static struct cpu boot_cpu = {.self = &boot_cpu};

uint32_t nr_cpus = 1;
struct cpu *cpus[MAX_CPUS] = {&boot_cpu};

void percpu_init(void)
{
	wrmsr(MSR_GS_BASE, (uint64_t)&boot_cpu);
	wrmsr(MSR_KERNEL_GS_BASE, 0);
}
