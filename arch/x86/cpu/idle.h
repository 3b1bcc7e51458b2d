/* SPDX-License-Identifier: BSD-2-Clause */
/* What a processor does when there is nothing to do. */
#ifndef ARCH_X86_IDLE_H
#define ARCH_X86_IDLE_H

/* Chooses how. Context: start, once. */
void idle_init(void);

/* Unmasks interrupts and waits for one, without a window between the two: by MWAIT where the
 * processor has it, else (and where a hypervisor would pay for it) by HLT. Context: idle,
 * interrupts masked; unmasked on return. */
void idle_wait(void);

#endif
