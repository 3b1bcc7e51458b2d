/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers in a signal's frame. */
#ifndef ABI_ASM_SIGCONTEXT_H
#define ABI_ASM_SIGCONTEXT_H

#include <linux/types.h>

#define FP_XSTATE_MAGIC2 0x46505845u
#define FP_XSTATE_MAGIC1 0x46505853u

#define FP_XSTATE_MAGIC2_SIZE 4ul

struct _fpx_sw_bytes {
	__u32 magic1, extended_size;
	__u64 xfeatures;
	__u32 xstate_size, padding[7];
};

struct sigcontext {
	__u64 r8, r9, r10, r11, r12, r13, r14, r15;
	__u64 rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
	__u16 cs, gs, fs, ss;
	__u64 err, trapno, oldmask, cr2;
	void *fpstate;
	__u64 reserved1[8];
};

#endif
