/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a program's structure at load: every instruction is valid, uses existing registers, jumps
 * to an instruction, and calls an existing helper or function. Memory accesses are checked at run
 * time.
 */
#include <linux/errno.h>
#include "bpf/bpf.h"
#include "kernel/base/text.h"

#define REG_MAX BPF_REG_10

struct checker {
	const struct bpf_program *program;
	struct text *log;
	uint32_t at;
};

static int refuse_with(const struct checker *c, const char *why, int error)
{
	if (c->log)
		text_print(c->log, "%u: %s\n", c->at, why);
	return error;
}

static int refuse(const struct checker *c, const char *why)
{
	return refuse_with(c, why, -EINVAL);
}

/* True if an instruction starts `offset` slots after the next one. */
static bool is_target(const struct checker *c, int64_t offset)
{
	int64_t to = (int64_t)c->at + 1 + offset;

	/* The second half of a wide constant has no code. */
	return to >= 0 && to < c->program->nr_insns && c->program->insns[to].code != 0;
}

/* Checks the fields of arithmetic, except the destination register. */
static int check_operands(const struct checker *c, const struct bpf_insn *insn)
{
	bool wide = BPF_CLASS(insn->code) == BPF_ALU64, by_register = BPF_SRC(insn->code) == BPF_X;
	unsigned op = BPF_OP(insn->code);

	if (op > BPF_END || insn->off)
		return refuse(c, "unknown instruction of arithmetic");
	if (op == BPF_END)
		return !wide && !insn->src_reg &&
			       (insn->imm == 16 || insn->imm == 32 || insn->imm == 64)
			   ? 0
			   : refuse(c, "BPF_END uses reserved fields");
	if (op == BPF_NEG)
		return by_register || insn->src_reg || insn->imm
			   ? refuse(c, "BPF_NEG uses reserved fields")
			   : 0;
	if (by_register ? insn->imm != 0 : insn->src_reg != 0)
		return refuse(c, "BPF_ALU uses reserved fields");
	if (!by_register && (op == BPF_DIV || op == BPF_MOD) && !insn->imm)
		return refuse(c, "div by zero");
	if (!by_register && (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) &&
	    (uint32_t)insn->imm >= (wide ? 64u : 32u))
		return refuse(c, "invalid shift");
	return 0;
}

static int check_alu(const struct checker *c, const struct bpf_insn *insn)
{
	int err = check_operands(c, insn);

	if (!err && insn->dst_reg >= REG_MAX)
		return refuse_with(c, "frame pointer is read only", -EACCES);
	return err;
}

static int check_call(const struct checker *c, const struct bpf_insn *insn)
{
	if (BPF_CLASS(insn->code) != BPF_JMP || BPF_SRC(insn->code) != BPF_K || insn->off ||
	    insn->dst_reg)
		return refuse(c, "BPF_CALL uses reserved fields");
	if (insn->src_reg == BPF_PSEUDO_CALL)
		return is_target(c, insn->imm) ? 0 : refuse(c, "call out of range");
	if (insn->src_reg)
		return refuse(c, "kernel functions cannot be called");
	if (helper_find((uint32_t)insn->imm, c->program->type))
		return 0;
	/* bpftrace searches for exactly this text to detect available helpers. */
	if (c->log)
		text_print(c->log, "unknown func #%d\n", insn->imm);
	return -EINVAL;
}

static int check_jump(const struct checker *c, const struct bpf_insn *insn)
{
	unsigned op = BPF_OP(insn->code);
	bool narrow = BPF_CLASS(insn->code) == BPF_JMP32,
	     by_register = BPF_SRC(insn->code) == BPF_X;

	if (op == BPF_CALL)
		return check_call(c, insn);
	if (op == BPF_EXIT)
		return narrow || by_register || insn->imm || insn->src_reg || insn->dst_reg ||
			       insn->off
			   ? refuse(c, "BPF_EXIT uses reserved fields")
			   : 0;
	if (op > BPF_JSLE || (narrow && op == BPF_JA))
		return refuse(c, "unknown jump");
	if (op == BPF_JA  ? by_register || insn->imm || insn->src_reg || insn->dst_reg
	    : by_register ? insn->imm != 0
			  : insn->src_reg != 0)
		return refuse(c, "BPF_JMP uses reserved fields");
	return is_target(c, insn->off) ? 0 : refuse(c, "jump out of range");
}

static int check_atomic(const struct checker *c, const struct bpf_insn *insn)
{
	if (BPF_SIZE(insn->code) != BPF_W && BPF_SIZE(insn->code) != BPF_DW)
		return refuse(c, "invalid atomic operand size");
	switch (insn->imm) {
	case BPF_ADD:
	case BPF_ADD | BPF_FETCH:
	case BPF_AND:
	case BPF_AND | BPF_FETCH:
	case BPF_OR:
	case BPF_OR | BPF_FETCH:
	case BPF_XOR:
	case BPF_XOR | BPF_FETCH:
	case BPF_XCHG:
	case BPF_CMPXCHG:
		return (insn->imm & BPF_FETCH) && insn->src_reg >= REG_MAX
			   ? refuse_with(c, "frame pointer is read only", -EACCES)
			   : 0;
	default:
		return refuse(c, "BPF_ATOMIC uses invalid atomic opcode");
	}
}

static int check_memory(const struct checker *c, const struct bpf_insn *insn)
{
	unsigned class = BPF_CLASS(insn->code), mode = BPF_MODE(insn->code);

	if (class == BPF_STX && mode == BPF_ATOMIC)
		return check_atomic(c, insn);
	if (mode != BPF_MEM)
		return refuse(c, "unknown mode of access");
	if (class == BPF_LDX && insn->dst_reg >= REG_MAX)
		return refuse_with(c, "frame pointer is read only", -EACCES);
	if (class == BPF_ST ? insn->src_reg != 0 : insn->imm != 0)
		return refuse(c, "access uses reserved fields");
	return 0;
}

/* A 64-bit constant in two instructions; program.c has replaced descriptors by maps' pointers. */
static int check_wide(const struct checker *c, const struct bpf_insn *insn)
{
	if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
		return refuse(c, "unknown load");
	if (c->at + 1 >= c->program->nr_insns || insn[1].code || insn[1].dst_reg ||
	    insn[1].src_reg || insn[1].off)
		return refuse(c, "invalid bpf_ld_imm64 insn");
	if (insn->dst_reg >= REG_MAX || insn->off)
		return refuse(c, "invalid bpf_ld_imm64 insn");
	if (insn->src_reg == BPF_PSEUDO_FUNC)
		return is_target(c, insn->imm) ? 0 : refuse(c, "function out of range");
	return insn->src_reg ? refuse(c, "unknown constant") : 0;
}

static int check_one(const struct checker *c)
{
	const struct bpf_insn *insn = &c->program->insns[c->at];

	if (insn->dst_reg > REG_MAX || insn->src_reg > REG_MAX)
		return refuse(c, "invalid register");
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return check_alu(c, insn);
	case BPF_JMP:
	case BPF_JMP32:
		return check_jump(c, insn);
	case BPF_LD:
		return check_wide(c, insn);
	default:
		return check_memory(c, insn);
	}
}

/* Execution must not run off the end: the last instruction must be EXIT or JA. */
static bool ends(const struct bpf_insn *last)
{
	return last->code == (BPF_JMP | BPF_EXIT) || last->code == (BPF_JMP | BPF_JA);
}

int program_check(struct bpf_program *program, struct text *log)
{
	struct checker c = {program, log, 0};
	int err;

	for (; c.at < program->nr_insns; c.at++) {
		err = check_one(&c);
		if (err)
			return err;
		if (BPF_CLASS(program->insns[c.at].code) == BPF_LD)
			c.at++;
	}
	c.at = program->nr_insns - 1;
	return ends(&program->insns[c.at]) ? 0 : refuse(&c, "last insn is not an exit or jmp");
}
