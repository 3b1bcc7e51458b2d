/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a program's code in ring 0 with nothing else on the processor; any fault ends the code, not
 * the kernel. */
#ifndef ARCH_X86_TRIAL_H
#define ARCH_X86_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

struct trial {
	uint64_t code, argument; /* called as a C function would be */
	uint64_t stack;          /* where its stack ends, aligned to 16 bytes */
	uint64_t value;          /* its return value */
	bool ended;              /* not by its return but by frame.vector */
	struct frame frame;      /* the moment of its end */
	uint64_t cr2;
};

/*
 * Runs the code in the current address space: interrupts masked, the local APIC's own interrupts
 * masked at their source, SMEP and SMAP off. Any vector ends it, including an NMI or an interrupt,
 * which is raised again afterwards; a machine check stops the machine, as always. The code has full
 * control of the machine, so callers must check for that privilege. Context: task, the kernel lock
 * held.
 */
void trial_run(struct trial *trial);

#endif
