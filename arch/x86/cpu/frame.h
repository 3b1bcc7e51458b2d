/* SPDX-License-Identifier: BSD-2-Clause */
/* The register frame that every entry into the kernel (system call, exception, interrupt, NMI)
 * leaves on the stack. */
#ifndef ARCH_X86_FRAME_H
#define ARCH_X86_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Built by entry.asm, lowest address first. For a system call `error` holds the call's number
 * (Linux's orig_rax) and `vector` is FRAME_SYSCALL.
 */
struct frame {
	uint64_t r15, r14, r13, r12, rbp, rbx;
	uint64_t r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
	uint64_t vector;
	uint64_t error;
	uint64_t rip, cs, rflags, rsp, ss;
};

_Static_assert(sizeof(struct frame) == 22 * 8, "entry.asm builds this frame");

#define FRAME_SYSCALL 0x100

/* True when the frame was entered from ring 3. */
static inline bool frame_is_user(const struct frame *frame)
{
	return (frame->cs & 3) == 3;
}

#endif
