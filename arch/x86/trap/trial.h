/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of a program's, run in ring 0 with nothing else on the processor; whatever it does wrong
 * ends it, not the kernel. */
#ifndef ARCH_X86_TRIAL_H
#define ARCH_X86_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

struct trial {
	uint64_t code, argument; /* called as a C function would be */
	uint64_t stack;          /* where its stack ends, aligned to 16 bytes */
	uint64_t value;          /* what it returned */
	bool ended;              /* not by its return but by frame.vector */
	struct frame frame;      /* the moment of its end */
	uint64_t cr2;
};

/*
 * Runs the code in the current address space: interrupts masked, those of the local APIC masked at
 * their source, SMEP and SMAP off. Any vector ends it, an NMI and an interrupt as well, which come
 * again afterwards; a machine check is the machine's end, as always. The code can do what it wants
 * to the machine: only who may own the machine gets here. Context: task, the kernel lock held.
 */
void trial_run(struct trial *trial);

#endif
