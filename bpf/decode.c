/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes programs at load, so that execution needs no further analysis. */
#include <linux/errno.h>
#include "bpf/bpf.h"
#include "bpf/sites.h"
#include "kernel/mem/memory.h"

#define KINDS 4                                    /* of an operation */
#define GIVEN (1u << BPF_REG_1 | 1u << BPF_REG_10) /* registers that a run begins with */

static uint8_t kind_of(const struct bpf_insn *insn, bool wide)
{
	return (uint8_t)((wide ? 0 : 2) + (BPF_SRC(insn->code) == BPF_X ? 0 : 1));
}

static void decode_alu(struct op *op, const struct bpf_insn *insn)
{
	unsigned which = BPF_OP(insn->code) >> 4;

	if (BPF_OP(insn->code) == BPF_END) {
		op->code = OP_END;
		op->off = BPF_SRC(insn->code) == BPF_TO_BE;
		return;
	}
	op->code = (uint8_t)(OP_ADD_64X + KINDS * which +
			     kind_of(insn, BPF_CLASS(insn->code) == BPF_ALU64));
}

/* "rX = r10; rX += constant". A jump between the two reaches the second instruction, which is
 * kept. */
static bool is_place(const struct bpf_insn *insn)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn->src_reg == BPF_REG_10 &&
	       insn[1].code == (BPF_ALU64 | BPF_ADD | BPF_K) && insn[1].dst_reg == insn->dst_reg;
}

/* "r0 = constant; exit", the usual end. A jump between the two reaches the second instruction. */
static bool is_result(const struct bpf_insn *insn)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn->dst_reg == BPF_REG_0 &&
	       insn[1].code == (BPF_JMP | BPF_EXIT);
}

static void decode_call(struct op *op, const struct bpf_insn *insn, uint32_t type)
{
	op->code = OP_HELPER;
	if (insn->src_reg) {
		op->code = OP_CALL;
		op->off = insn->imm;
	} else if (insn->imm == BPF_FUNC_tail_call) {
		op->code = OP_TAIL_CALL;
	} else {
		op->imm = (uint64_t)helper_find((uint32_t)insn->imm, type);
	}
}

/* JLT and later codes exist in both classes; CALL and EXIT only in JMP. */
static void decode_jump(struct op *op, const struct bpf_insn *insn, uint32_t type)
{
	unsigned which = BPF_OP(insn->code) >> 4;

	if (BPF_OP(insn->code) == BPF_CALL)
		decode_call(op, insn, type);
	else if (BPF_OP(insn->code) == BPF_EXIT)
		op->code = OP_EXIT;
	else if (BPF_OP(insn->code) == BPF_JA)
		op->code = OP_JUMP;
	else
		op->code = (uint8_t)(OP_JEQ_64X + KINDS * (which - (which > 8 ? 3 : 1)) +
				     kind_of(insn, BPF_CLASS(insn->code) == BPF_JMP));
}

/* R10 is read-only: it points to the end of the own stack. */
static bool is_on_stack(const struct bpf_insn *insn)
{
	static const uint8_t bytes[] = {4, 2, 1, 8};
	unsigned pointer = BPF_CLASS(insn->code) == BPF_LDX ? insn->src_reg : insn->dst_reg;

	return pointer == BPF_REG_10 && insn->off >= -STACK_BYTES_EACH &&
	       insn->off <= -(int)bytes[BPF_SIZE(insn->code) >> 3];
}

static void decode_memory(struct op *op, const struct bpf_insn *insn)
{
	unsigned class = BPF_CLASS(insn->code), size = BPF_SIZE(insn->code) >> 3;

	if (class == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC) {
		op->code = OP_ATOMIC;
		return;
	}
	op->code = (uint8_t)((class == BPF_LDX   ? OP_LOAD_W
			      : class == BPF_STX ? OP_STORE_W
						 : OP_PUT_W) +
			     size);
	if (is_on_stack(insn))
		op->code = (uint8_t)(op->code + OP_LOAD_STACK_W - OP_LOAD_W);
}

/* A constant in two instructions; for a function it becomes a pointer. */
static void decode_wide(struct op *op, const struct bpf_insn *insn, uint32_t at)
{
	op->code = OP_WIDE;
	op->imm = insn->src_reg == BPF_PSEUDO_FUNC
		      ? run_pointer(REGION_CODE, at + 1 + (uint32_t)insn->imm)
		      : (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32;
}

static void decode(struct op *op, const struct bpf_program *program, uint32_t at)
{
	const struct bpf_insn *insn = &program->insns[at];

	*op = (struct op){.dst = insn->dst_reg,
			  .src = insn->src_reg,
			  .off = insn->off,
			  .imm = (uint64_t)insn->imm};
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		decode_alu(op, insn);
		if (is_place(insn)) { /* the last instruction is never arithmetic */
			op->code = OP_PLACE;
			op->imm = (uint64_t)insn[1].imm;
		}
		if (is_result(insn))
			op->code = OP_RESULT;
		break;
	case BPF_JMP:
	case BPF_JMP32:
		decode_jump(op, insn, program->type);
		break;
	case BPF_LD:
		decode_wide(op, insn, at);
		break;
	default:
		decode_memory(op, insn);
	}
}

static const void *const *labels(void)
{
	const void *const *found = NULL;
	const struct op handlers = {.code = OP_HANDLERS, .imm = (uint64_t)&found};
	uint64_t none[MAX_BPF_REG] = {0};

	interpret(NULL, &handlers, none);
	return found;
}

int program_decode(struct bpf_program *program)
{
	const void *const *places = labels();
	struct op *ops = kalloc((program->nr_insns + 1) * sizeof(*ops));
	struct sites sites;
	int err = ops ? sites_begin(&sites, program) : -ENOMEM;
	uint32_t first;

	program->ops = ops;
	if (err)
		return err;
	program->entry = sites.reads[0] & ~GIVEN ? ops : ops + 1;
	*ops++ = (struct op){.label = places[OP_CLEAR], .code = OP_CLEAR};
	for (uint32_t at = 0; at < program->nr_insns; at++) {
		decode(&ops[at], program, at);
		first = sites_take(&sites, at, ops);
		ops[at].label = places[ops[at].code];
		ops[first].label = places[ops[first].code];
		if (ops[at].code == OP_WIDE)
			at++;
	}
	sites_end(&sites);
	return 0;
}
