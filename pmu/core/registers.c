/* SPDX-License-Identifier: BSD-2-Clause */
/* Register dumps of samples: Linux's numbers are those of <asm/perf_regs.h>. */
#include "pmu/core/registers.h"
#include <asm/perf_regs.h>
#include <stddef.h>

#define BIT64(n) (1ul << (n))

#define PLACE(name, member) \
	[PERF_REG_X86_##name] = offsetof(struct frame, member) / sizeof(uint64_t)

const uint8_t register_places[PERF_REG_X86_64_MAX] = {
    PLACE(AX, rax),  PLACE(BX, rbx),       PLACE(CX, rcx),  PLACE(DX, rdx),  PLACE(SI, rsi),
    PLACE(DI, rdi),  PLACE(BP, rbp),       PLACE(SP, rsp),  PLACE(IP, rip),  PLACE(CS, cs),
    PLACE(SS, ss),   PLACE(FLAGS, rflags), PLACE(R8, r8),   PLACE(R9, r9),   PLACE(R10, r10),
    PLACE(R11, r11), PLACE(R12, r12),      PLACE(R13, r13), PLACE(R14, r14), PLACE(R15, r15),
};

/* Segment registers that mean nothing in 64-bit mode are not offered. */
static const uint64_t unsupported = BIT64(PERF_REG_X86_DS) | BIT64(PERF_REG_X86_ES) |
				    BIT64(PERF_REG_X86_FS) | BIT64(PERF_REG_X86_GS);
static const uint64_t reserved = BIT64(PERF_REG_X86_XMM0) - BIT64(PERF_REG_X86_64_MAX);

bool registers_valid(uint64_t mask)
{
	return mask && !(mask & (unsupported | reserved));
}
