/* SPDX-License-Identifier: BSD-2-Clause */
/* The context switch of kernel stacks, and the per-task registers of the processor. */
#ifndef ARCH_X86_SWITCH_H
#define ARCH_X86_SWITCH_H

#include <stdint.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"

/* Saves the callee-saved registers and the stack pointer to *prev_rsp, and continues on next_rsp.
 * Context: scheduler, interrupts masked. */
void context_switch(uint64_t *prev_rsp, uint64_t next_rsp);

/*
 * Prepares a new stack: the first switch to it runs `first`. When that returns, the task goes to
 * ring 3 by the frame at the top of the stack (a kernel thread's `first` does not return). Returns
 * the stack pointer for context_switch().
 */
uint64_t switch_prepare(uint64_t stack_top, void (*first)(void));

/* Loads the thread pointers of ring 3. Context: scheduler or arch_prctl, interrupts masked. */
static inline void switch_tls(uint64_t fs_base, uint64_t gs_base)
{
	wrmsr(MSR_FS_BASE, fs_base);
	wrmsr(MSR_KERNEL_GS_BASE, gs_base);
}

#endif
