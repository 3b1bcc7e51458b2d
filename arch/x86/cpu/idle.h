/* SPDX-License-Identifier: BSD-2-Clause */
/* Idling of a processor. */
#ifndef ARCH_X86_IDLE_H
#define ARCH_X86_IDLE_H

#include "arch/x86/cpu/frame.h"

/* Addresses of halt.asm: of the instruction that waits, and of the one after it. */
extern const char idle_halt_at[], idle_halt_end[], idle_mwait_at[], idle_mwait_end[];

/* Chooses the method. Context: start, once. */
void idle_init(void);

/* Unmasks interrupts and waits for one, without a window between the two: by MWAIT if the processor
 * has it, else (and under a hypervisor that would intercept it) by HLT. Context: idle, interrupts
 * masked; unmasked on return. */
void idle_wait(void);

/*
 * Ends the wait that this interrupt came before. STI masks interrupts until HLT has begun, but an
 * NMI or a breakpoint between the two ends that: an interrupt is then taken before HLT, and the
 * task that it wakes would wait for the next interrupt. Context: interrupt.
 */
static inline void idle_skip_wait(struct frame *frame)
{
	if (frame->rip == (uint64_t)idle_halt_at)
		frame->rip = (uint64_t)idle_halt_end;
	else if (frame->rip == (uint64_t)idle_mwait_at)
		frame->rip = (uint64_t)idle_mwait_end;
}

#endif
