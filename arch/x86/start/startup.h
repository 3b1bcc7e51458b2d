/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting the other processors: Intel SDM volume 3, "Multiple-Processor (MP) Initialization". */
#ifndef ARCH_X86_STARTUP_H
#define ARCH_X86_STARTUP_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/percpu.h"

/* Writes the start-up code to a free page below 1 MiB; false if there is none. Context: start, with
 * page tables available. */
bool startup_begin(void);
/*
 * Starts the processor cpu->apic_id: it loads its tables and address space, sets up its features,
 * APIC and timer, and calls `main` on the stack with interrupts masked. False: it did not come in
 * time, and is held in INIT. Context: start.
 */
bool startup_processor(struct cpu *cpu, uint64_t stack_top, void (*main)(void));
/* Removes the code: no page is executable at its address any more. */
void startup_end(void);

#endif
