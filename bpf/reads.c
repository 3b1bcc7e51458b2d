/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which registers a program may read before it writes them, from each instruction on: registers
 * left over from the previous run or from a call must not leak. One walk from the end; jumps and
 * calls are assumed to read everything that they might.
 */
#include "bpf/bpf.h"
#include "bpf/ops.h"
#include "kernel/mem/memory.h"

#define REG(number) (1u << (number))
#define ALL         (REG(11) - 1)

/* Registers that are read after a jump; `reads` is known only for later instructions. */
static uint32_t behind_jump(const uint16_t *reads, uint32_t at, int off)
{
	return off < 0 ? ALL : reads[at + 1 + (uint32_t)off];
}

static uint32_t of_jump(const uint16_t *reads, const struct bpf_insn *insn, uint32_t at)
{
	uint32_t next = reads[at + 1];

	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		return REG(0);
	case BPF_JA:
		return behind_jump(reads, at, insn->off);
	case BPF_CALL:
		if (insn->src_reg)
			return ALL;
		return (next & ~REG(0)) |
		       ((REG(helper_arguments((uint32_t)insn->imm)) - 1) << BPF_REG_1);
	default:
		return next | behind_jump(reads, at, insn->off) | REG(insn->dst_reg) |
		       (BPF_SRC(insn->code) == BPF_X ? REG(insn->src_reg) : 0);
	}
}

static uint32_t of_alu(const struct bpf_insn *insn, uint32_t next)
{
	bool by_register = BPF_SRC(insn->code) == BPF_X && BPF_OP(insn->code) != BPF_END;

	if (BPF_OP(insn->code) == BPF_MOV)
		next &= ~REG(insn->dst_reg);
	else
		next |= REG(insn->dst_reg);
	return next | (by_register ? REG(insn->src_reg) : 0);
}

/* Atomic operations may read R0; none is assumed to write. */
static uint32_t of_store(const struct bpf_insn *insn, uint32_t next)
{
	bool by_register = BPF_CLASS(insn->code) == BPF_STX;

	return next | REG(insn->dst_reg) | (by_register ? REG(insn->src_reg) : 0) |
	       (by_register && BPF_MODE(insn->code) == BPF_ATOMIC ? REG(0) : 0);
}

/* Registers that are read from this instruction on before they are written. */
static uint32_t of_insn(const uint16_t *reads, const struct bpf_insn *insn, uint32_t at)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return of_alu(insn, reads[at + 1]);
	case BPF_JMP:
	case BPF_JMP32:
		return of_jump(reads, insn, at);
	case BPF_LD: /* or the second half of such a constant, which is never executed */
		return insn->code ? reads[at + 2] & ~REG(insn->dst_reg) : 0;
	case BPF_LDX:
		return (reads[at + 1] & ~REG(insn->dst_reg)) | REG(insn->src_reg);
	default:
		return of_store(insn, reads[at + 1]);
	}
}

uint16_t *program_reads(const struct bpf_program *program)
{
	uint32_t at = program->nr_insns;
	uint16_t *reads = kalloc((at + 1) * sizeof(*reads));

	while (reads && at--)
		reads[at] = (uint16_t)of_insn(reads, &program->insns[at], at);
	return reads;
}
