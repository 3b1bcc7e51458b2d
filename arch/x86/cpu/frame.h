/* SPDX-License-Identifier: BSD-2-Clause */
/* The register frame that every entry into the kernel (system call, exception, interrupt, NMI)
 * builds on the stack. */
#ifndef ARCH_X86_FRAME_H
#define ARCH_X86_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYSCALL_BYTES 2 /* length of the SYSCALL instruction */

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

/* Offsets of the frame for entry.asm, which builds it. */
#define FRAME_AT(member, place) \
	_Static_assert(offsetof(struct frame, member) == (place)*8, "entry.asm")
_Static_assert(sizeof(struct frame) == 22 * 8, "entry.asm");
FRAME_AT(r15, 0);
FRAME_AT(r14, 1);
FRAME_AT(r13, 2);
FRAME_AT(r12, 3);
FRAME_AT(rbp, 4);
FRAME_AT(rbx, 5);
FRAME_AT(r11, 6);
FRAME_AT(r10, 7);
FRAME_AT(r9, 8);
FRAME_AT(r8, 9);
FRAME_AT(rax, 10);
FRAME_AT(rcx, 11);
FRAME_AT(rdx, 12);
FRAME_AT(rsi, 13);
FRAME_AT(rdi, 14);
FRAME_AT(vector, 15);
FRAME_AT(error, 16);
FRAME_AT(rip, 17);
FRAME_AT(cs, 18);
FRAME_AT(rflags, 19);
FRAME_AT(rsp, 20);
FRAME_AT(ss, 21);
#undef FRAME_AT

#define FRAME_NMI     2
#define FRAME_SYSCALL 0x100
_Static_assert(FRAME_SYSCALL == 0x100, "entry.asm");

/* True if the frame is from ring 3. */
static inline bool frame_is_user(const struct frame *frame)
{
	return (frame->cs & 3) == 3;
}

enum exception_vector {
	EXCEPTION_DE = 0,
	EXCEPTION_DB = 1,
	EXCEPTION_NMI = 2,
	EXCEPTION_BP = 3,
	EXCEPTION_OF = 4,
	EXCEPTION_BR = 5,
	EXCEPTION_UD = 6,
	EXCEPTION_NM = 7,
	EXCEPTION_DF = 8,
	EXCEPTION_TS = 10,
	EXCEPTION_NP = 11,
	EXCEPTION_SS = 12,
	EXCEPTION_GP = 13,
	EXCEPTION_PF = 14,
	EXCEPTION_MF = 16,
	EXCEPTION_AC = 17,
	EXCEPTION_MC = 18,
	EXCEPTION_XM = 19,
	EXCEPTION_VE = 20,
	EXCEPTION_CP = 21,
	FIRST_IRQ_VECTOR = 32,
};

/* frame->error of a page fault. */
enum {
	FAULT_PRESENT = 1 << 0,
	FAULT_WRITE = 1 << 1,
	FAULT_USER = 1 << 2,
	FAULT_RESERVED = 1 << 3,
	FAULT_FETCH = 1 << 4,
};

#endif
