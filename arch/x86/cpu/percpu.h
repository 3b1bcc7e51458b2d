/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-processor data, accessed through GS. */
#ifndef ARCH_X86_PERCPU_H
#define ARCH_X86_PERCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/x86/cpu/debug.h"
#include "arch/x86/cpu/descriptors.h"

struct bpf_cpu;
struct task;
struct pmu_cpu;
struct remote_call;

#define COUNTED_VECTORS 16 /* from VECTOR_TIMER on */

/* entry.asm knows the offsets of the first fields (static asserts in percpu.c). */
struct cpu {
	struct cpu *self;      /* GS:0, so that this_cpu() is one load */
	uint64_t kernel_stack; /* GS:8, top of the current task's kernel stack */
	uint64_t user_stack;   /* GS:16, scratch: user RSP during system call entry */
	struct task *current;  /* GS:24 */
	uint32_t return_work;  /* GS:32, not 0: trap_hooks.user_return runs, and all registers are
				  loaded, on the way to ring 3 */
	uint32_t locked;       /* GS:36, 1 while this processor holds the kernel lock */
	struct debug_registers debug; /* GS:40, as loaded: NMIs and hits of ring 0 do without */
	uint32_t id;                  /* 0 .. nr_cpus-1 */
	uint32_t apic_id;
	uint32_t calls_traced; /* why SYSCALL leads to syscall_entry_traced; 0: it does not */
	bool tsc_off;          /* RDTSC of ring 3 faults: features_deny_tsc() */
	uint32_t irq_depth;    /* >0 inside an interrupt handler (not an NMI) */
	uint32_t nmi_depth;    /* >0 inside the NMI handler */
	uint64_t interrupts[COUNTED_VECTORS]; /* taken, by vector */
	uint64_t tlb_flushes;                 /* asked for by other processors */
	uint64_t nmis;                        /* NMIs taken */
	uint64_t nmis_unclaimed;              /* NMIs that no handler of the chain claimed */
	uint64_t root;                        /* the address space that is loaded (paging_load) */
	struct remote_call *call;             /* call posted by another processor. Atomic */
	struct pmu_cpu *pmu;                  /* owned by pmu/ */
	int32_t pmis_left;   /* until pmu/ looks at one; below 0: at this one. Its NMIs only */
	uint32_t node;       /* of memory: kernel/mem/nodes.h. Constant after start */
	struct bpf_cpu *bpf; /* owned by bpf/; NULL: no program was loaded yet */
	uint64_t gdt[GDT_ENTRIES];
	struct tss tss;
};

#define MAX_CPUS 512

extern uint32_t nr_cpus; /* that run; constant after start */
extern struct cpu *cpus[MAX_CPUS];

extern struct cpu boot_cpu; /* the first processor's */

/* Points GS at the processor's data. Context: its start, before any use of this_cpu(). */
void percpu_load(struct cpu *cpu);
/* Hides the address of a processor's array element from the compiler, which would otherwise
 * recompute it at each use. Context: any. */
static inline void *percpu_place(void *place)
{
	__asm__("" : "+r"(place));
	return place;
}

/* Returns the number of interrupts of the processor, without NMIs. Context: any. */
uint64_t percpu_interrupts(const struct cpu *cpu);

#ifdef BAREPMU_HOST
struct cpu *this_cpu(void);

#define this_cpu_read(field)       (this_cpu()->field)
#define this_cpu_count_down(field) (--this_cpu()->field < 0)

static inline struct task *current_task(void)
{
	return this_cpu()->current;
}
#else
/* The memory operand makes the compiler reload it after each call: a task that slept may have woken
 * on another processor. */
static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;
	__asm__("movq %%gs:0, %0" : "=r"(cpu) : "m"(nr_cpus));
	return cpu;
}

/* Reads one field with one load. */
#define this_cpu_read(field)                                               \
	({                                                                 \
		__typeof__(boot_cpu.field) value_;                         \
		__asm__("mov %%gs:%c1, %0"                                 \
			: "=r"(value_)                                     \
			: "i"(offsetof(struct cpu, field)), "m"(nr_cpus)); \
		value_;                                                    \
	})

/* Decrements a 32-bit field in one instruction; returns whether it is now negative. */
#define this_cpu_count_down(field)                                  \
	({                                                          \
		bool below_;                                        \
		__asm__ volatile("decl %%gs:%c1"                    \
				 : "=@ccs"(below_)                  \
				 : "i"(offsetof(struct cpu, field)) \
				 : "memory");                       \
		below_;                                             \
	})

/* Returns the task that runs here. For the task itself the result is constant, wherever it
 * wakes. */
static inline struct task *current_task(void)
{
	struct task *task;
	__asm__("movq %%gs:24, %0" : "=r"(task));
	return task;
}
#endif

#endif
