/* SPDX-License-Identifier: BSD-2-Clause */
/* Register dumps of samples, with Linux's numbers from <asm/perf_regs.h>. */
#include <asm/perf_regs.h>
#include "pmu/base/registers.h"

#define BIT64(n) (1ul << (n))

/* The frame's member for each number, in order. Segment registers without meaning in 64-bit mode
 * are not offered. */
/* clang-format off */
#define REGISTERS(ROW) \
	ROW(AX, rax) ROW(BX, rbx) ROW(CX, rcx) ROW(DX, rdx) ROW(SI, rsi) ROW(DI, rdi) \
	ROW(BP, rbp) ROW(SP, rsp) ROW(IP, rip) ROW(FLAGS, rflags) ROW(CS, cs) ROW(SS, ss) \
	ROW(R8, r8) ROW(R9, r9) ROW(R10, r10) ROW(R11, r11) \
	ROW(R12, r12) ROW(R13, r13) ROW(R14, r14) ROW(R15, r15)
#define BIT_OF(name, member) | BIT64(PERF_REG_X86_##name)
#define COUNT(name, member)  +1
#define PUT(name, member) if (mask & BIT64(PERF_REG_X86_##name)) *at++ = frame->member;
/* clang-format on */

#define ALL_OF_FRAME (0ul REGISTERS(BIT_OF))
#define MOST         (0 REGISTERS(COUNT))

bool registers_valid(uint64_t mask)
{
	return mask && !(mask & ~(ALL_OF_FRAME | REGISTERS_EXTENDED));
}

static inline __attribute__((always_inline)) uint64_t *
put_masked(uint64_t *at, const struct frame *frame, uint64_t mask)
{
	REGISTERS(PUT)
	return at;
}

/* Writes the registers. Two loops: the usual mask, with all of them, needs no test for each. */
static uint64_t *registers_put(uint64_t *at, const struct frame *frame, uint64_t mask)
{
	return (mask & ALL_OF_FRAME) == ALL_OF_FRAME ? put_masked(at, frame, ALL_OF_FRAME)
						     : put_masked(at, frame, mask);
}

void registers_write(struct ring_writer *w, const struct frame *frame, uint64_t mask,
		     const uint64_t *xmm)
{
	uint64_t scratch[MOST], *at = ring_put_begin(w, scratch, MOST);

	ring_put_end(w, scratch, at, registers_put(at, frame, mask));
	for (mask &= REGISTERS_EXTENDED; mask; mask &= mask - 1)
		ring_write_u64(w, xmm ? xmm[__builtin_ctzl(mask) - PERF_REG_X86_XMM0] : 0);
}
