/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables, exceptions and interrupts: Intel SDM volume 3, "Interrupt and Exception
 * Handling". */
#ifndef ARCH_X86_TRAPS_H
#define ARCH_X86_TRAPS_H

#include <stdint.h>
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/frame.h"

enum exception_vector {
	EXCEPTION_DE = 0,
	EXCEPTION_DB = 1,
	EXCEPTION_NMI = 2,
	EXCEPTION_BP = 3,
	EXCEPTION_OF = 4,
	EXCEPTION_BR = 5,
	EXCEPTION_UD = 6,
	EXCEPTION_NM = 7,
	EXCEPTION_DF = 8,
	EXCEPTION_TS = 10,
	EXCEPTION_NP = 11,
	EXCEPTION_SS = 12,
	EXCEPTION_GP = 13,
	EXCEPTION_PF = 14,
	EXCEPTION_MF = 16,
	EXCEPTION_AC = 17,
	EXCEPTION_MC = 18,
	EXCEPTION_XM = 19,
	EXCEPTION_VE = 20,
	EXCEPTION_CP = 21,
	FIRST_IRQ_VECTOR = 32,
};

/* frame->error of a page fault. */
enum {
	FAULT_PRESENT = 1 << 0,
	FAULT_WRITE = 1 << 1,
	FAULT_USER = 1 << 2,
	FAULT_RESERVED = 1 << 3,
	FAULT_FETCH = 1 << 4,
};

/* What kernel/ fills at start. Each may sleep, and runs on the task's kernel stack with interrupts
 * enabled. */
struct trap_hooks {
	/*
	 * A page fault of ring 3, or of a user copy, on a user address. 0: retry the instruction
	 * (or, for ring 3, a signal is queued); negative errno: the user copy fails.
	 */
	int (*page_fault)(struct frame *frame, uint64_t address);
	/* Any other exception of ring 3 (and its page faults on kernel addresses): queues the
	 * signal. `address`: CR2 of #PF, DR6 of #DB. */
	void (*exception)(struct frame *frame, unsigned vector, uint64_t address);
	/* Before a return to ring 3, when this_cpu()->return_work was set (it is cleared before the
	 * call): signals, rescheduling. */
	void (*user_return)(struct frame *frame);
	/* The kernel itself is wrong: tells why (`frame` may be NULL) and stops the machine.
	 * Context: any. */
	void (*fatal)(struct frame *frame, const char *why);
};

extern struct trap_hooks trap_hooks;

/* Prepares the tables, and the first processor. Context: start, once. */
void traps_init(void);
/* Loads GDT, TSS and IDT, points GS at the processor's data, sets SYSCALL's registers. Context: its
 * start. */
void traps_init_processor(struct cpu *cpu);

/* From now on this processor's system calls take the kernel lock. Context: start. */
void traps_use_kernel_lock(void);

typedef void irq_handler(struct frame *frame);

/* Gives a vector (32..255) its handler; the dispatcher acknowledges the interrupt at the APIC
 * afterwards. Context: start. */
void irq_register(uint8_t vector, irq_handler *handler);

/* The first processor's own stacks (start-up, NMI, #DF, #MC, #DB): addresses of the unmapped pages
 * below them. */
#define BOOT_STACKS 5
extern const uint64_t boot_stack_guards[BOOT_STACKS];

/* Sets the stack that entries from ring 3 switch to. Context: scheduler, interrupts masked. */
void traps_set_kernel_stack(uint64_t top);

/*
 * Entry points of entry.asm for its users: the way back to ring 3 through the frame at the top of
 * the kernel stack. rsp must point at that frame. All registers of the frame take effect.
 */
void return_to_user(void);

#endif
