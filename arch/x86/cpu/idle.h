/* SPDX-License-Identifier: BSD-2-Clause */
/* Idling of a processor. */
#ifndef ARCH_X86_IDLE_H
#define ARCH_X86_IDLE_H

/* Chooses the method. Context: start, once. */
void idle_init(void);

/* Unmasks interrupts and waits for one, without a window between the two: by MWAIT if the processor
 * has it, else (and under a hypervisor that would intercept it) by HLT. Context: idle, interrupts
 * masked; unmasked on return. */
void idle_wait(void);

#endif
