/* SPDX-License-Identifier: BSD-2-Clause */
/* What each processor keeps for itself, reached through GS. */
#ifndef ARCH_X86_PERCPU_H
#define ARCH_X86_PERCPU_H

#include <stdint.h>

struct task;
struct pmu_cpu;

/* Offsets of the first fields are known to entry.asm (static asserts in percpu.c). */
struct cpu {
	struct cpu *self;      /* GS:0, so that this_cpu() is one load */
	uint64_t kernel_stack; /* GS:8, top of the current task's kernel stack */
	uint64_t user_stack;   /* GS:16, scratch: user RSP during system call entry */
	struct task *current;  /* GS:24 */
	uint32_t return_work;  /* GS:32, not 0: trap_hooks.user_return runs, and all registers are
				  loaded, on the way to ring 3 */
	uint32_t reserved;
	uint32_t id; /* 0 .. nr_cpus-1 */
	uint32_t apic_id;
	uint32_t irq_depth;      /* >0 inside an interrupt handler (not an NMI) */
	uint32_t nmi_depth;      /* >0 inside the NMI handler */
	uint64_t interrupts;     /* interrupts taken, timer and self-IPI included */
	uint64_t nmis;           /* NMIs taken */
	uint64_t nmis_unclaimed; /* NMIs that no handler of the chain claimed */
	struct pmu_cpu *pmu;     /* owned by pmu/ */
};

#define MAX_CPUS 64

extern uint32_t nr_cpus; /* constant after start */
extern struct cpu *cpus[MAX_CPUS];

/* Points GS at the first processor's data. Context: start, before anything asks for this_cpu(). */
void percpu_init(void);

#ifdef BAREPMU_HOST
struct cpu *this_cpu(void);
#else
static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;
	__asm__("movq %%gs:0, %0" : "=r"(cpu));
	return cpu;
}
#endif

#endif
