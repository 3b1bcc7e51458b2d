/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptor tables, exceptions and interrupts: Intel SDM volume 3, "Interrupt and Exception
 * Handling". */
#ifndef ARCH_X86_TRAPS_H
#define ARCH_X86_TRAPS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/frame.h"
#include "arch/x86/cpu/trap_hooks.h"

/* Prepares the tables and the first processor. Context: start, once. */
void traps_init(void);
/* Loads GDT, TSS and IDT, points GS at the processor's data, sets SYSCALL's registers. Context: the
 * processor's start. */
void traps_init_processor(struct cpu *cpu);

/* Makes this processor's system calls take the kernel lock from now on. Context: start. */
void traps_use_kernel_lock(void);

/* Selects whether this processor's system calls go to syscall_traced, which makes them and returns
 * their result. Context: interrupts masked. */
void traps_trace_syscalls(bool on);
extern long (*syscall_traced)(struct frame *frame);
/* As traps_trace_syscalls(), while the current task runs. Context: interrupts masked. */
void traps_trace_task(bool on);

typedef void irq_handler(struct frame *frame);

/* Sets the handler of a vector (32..255); the dispatcher acknowledges the interrupt at the APIC
 * afterwards. Context: any but NMI. */
void irq_register(uint8_t vector, irq_handler *handler);
/* Returns the vector's handler; NULL: none. Context: any. */
irq_handler *irq_handler_of(uint8_t vector);
/* Takes pending interrupts and discards them: the next owner of the machine would not know them and
 * would leave them in service. Context: interrupts masked, at the end, with all sources silent. */
void irq_drain(void);
/* True if the instruction at the address has an entry in the exception table, so it must not be
 * moved. Context: any. */
bool traps_may_fault(uint64_t address);

/* Sets the stack that entries from ring 3 switch to. Context: scheduler, interrupts masked. */
void traps_set_kernel_stack(uint64_t top);

/*
 * Entry point of entry.asm: returns to ring 3 through the frame at the top of the kernel stack. rsp
 * must point at that frame. All registers of the frame are loaded.
 */
void return_to_user(void);

#endif
