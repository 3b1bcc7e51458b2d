/* SPDX-License-Identifier: BSD-2-Clause */
/* Adjusts the class of a mnemonic to the instruction's operands. */
#include <stdint.h>

#include "emulator/sim/decode/classify.h"

static bool is_register(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool is_memory(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static bool is_vector(const ZydisDecodedOperand *operand)
{
	ZydisRegisterClass class;

	if (!is_register(operand))
		return false;
	class = ZydisRegisterGetClass(operand->reg.value);
	return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	       class == ZYDIS_REGCLASS_ZMM || class == ZYDIS_REGCLASS_MMX;
}

static bool is_general(const ZydisDecodedOperand *operand)
{
	return is_register(operand) &&
	       (ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_GPR8 ||
		ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_GPR16 ||
		ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_GPR32 ||
		ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_GPR64);
}

static bool is_cl(const ZydisDecodedOperand *operand)
{
	return is_register(operand) && operand->reg.value == ZYDIS_REGISTER_CL;
}

/* log2 of a size in bits, relative to 8. */
static unsigned size_step(unsigned bits)
{
	return bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
}

static enum insn_class classify_move(const ZydisDecodedOperand *operands)
{
	if (is_memory(&operands[1]) && is_general(&operands[0]) && operands[0].size < 32)
		return CLASS_MOVE_PARTIAL; /* the loaded value is merged */
	if (is_memory(&operands[0]) || is_memory(&operands[1]))
		return CLASS_NONE;
	if (!is_general(&operands[0]) || (is_register(&operands[1]) && !is_general(&operands[1])))
		return is_register(&operands[0]) && ZydisRegisterGetClass(operands[0].reg.value) ==
							ZYDIS_REGCLASS_SEGMENT
			   ? CLASS_MICROCODE
		       : is_register(&operands[1]) &&
			       ZydisRegisterGetClass(operands[1].reg.value) ==
				   ZYDIS_REGCLASS_SEGMENT
			   ? CLASS_ALU
			   : CLASS_SYSTEM;
	if (!is_register(&operands[1]))
		return CLASS_MOVE_IMM;
	if (operands[0].size < 32)
		return CLASS_MOVE_PARTIAL;
	return operands[0].size == 32 ? CLASS_MOVE_32 : CLASS_MOVE;
}

/* Extensions of loaded values cost nothing, except words. */
static enum insn_class classify_extension(enum insn_class class,
					  const ZydisDecodedOperand *operands)
{
	if (is_memory(&operands[1]))
		return operands[0].size >= 32 ? CLASS_NONE : CLASS_ALU;
	if (class == CLASS_MOVZX && operands[1].size == 8 && operands[0].size >= 32)
		return CLASS_MOVZX8;
	return class;
}

/* Constants that renaming can add: of ten bits and a sign. */
static bool is_small(int64_t value)
{
	return value > -1024 && value < 1024;
}

/* Classifies ADD, SUB, INC, DEC and similar instructions. */
static enum insn_class classify_alu(const ZydisDecodedInstruction *z,
				    const ZydisDecodedOperand *operands)
{
	bool whole = is_register(&operands[0]) && operands[0].size == 64;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		return whole ? CLASS_ADD_SMALL : CLASS_ALU;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		return whole && operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			       is_small(operands[1].imm.value.s)
			   ? CLASS_ADD_SMALL
			   : CLASS_ALU;
	default:
		return CLASS_ALU;
	}
}

static enum insn_class classify_lea(const ZydisDecodedOperand *operands)
{
	const ZydisDecodedOperandMem *mem = &operands[1].mem;
	bool base = mem->base != ZYDIS_REGISTER_NONE, index = mem->index != ZYDIS_REGISTER_NONE;
	bool displacement = mem->disp.has_displacement && mem->disp.value != 0;

	if (base && index &&
	    (displacement || mem->base == ZYDIS_REGISTER_RBP || mem->base == ZYDIS_REGISTER_R13))
		return mem->scale > 1 ? CLASS_LEA_ALL : CLASS_LEA_SLOW;
	if (index && mem->scale > 1)
		return CLASS_LEA_SCALED;
	if (mem->base == ZYDIS_REGISTER_RIP)
		return CLASS_LEA_RIP;
	return base && !index && operands[0].size == 64 && is_small(mem->disp.value)
		   ? CLASS_LEA_SMALL
		   : CLASS_LEA;
}

static enum insn_class classify_shift(enum insn_class class, const ZydisDecodedOperand *operands)
{
	bool by_cl = is_cl(&operands[class == CLASS_SHLD ? 2 : 1]);

	switch (class) {
	case CLASS_SHIFT:
		return by_cl ? CLASS_SHIFT_CL : CLASS_SHIFT;
	case CLASS_ROTATE:
		return by_cl ? CLASS_ROTATE_CL : CLASS_ROTATE;
	case CLASS_SHLD:
		return by_cl ? CLASS_SHLD_CL : CLASS_SHLD;
	default:
		return !by_cl && operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			       operands[1].imm.value.u == 1
			   ? CLASS_RCL_1
			   : CLASS_RCL;
	}
}

static enum insn_class classify_imul(const ZydisDecodedInstruction *z)
{
	if (z->operand_count_visible == 1)
		return CLASS_MUL8 + size_step(z->operand_width);
	if (z->operand_width == 16 && z->operand_count_visible == 3)
		return CLASS_IMUL_16;
	return z->operand_width == 64 ? CLASS_IMUL_64 : CLASS_IMUL;
}

static enum insn_class classify_branch(enum insn_class class, const ZydisDecodedInstruction *z,
				       const ZydisDecodedOperand *operands)
{
	bool indirect = operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return CLASS_INTERRUPT;
	if (class == CLASS_RET || !indirect)
		return class;
	return class == CLASS_JMP ? CLASS_JMP_INDIRECT : CLASS_CALL_INDIRECT;
}

/* Classifies moves to or from a vector register. */
static enum insn_class classify_vector_move(enum insn_class class,
					    const ZydisDecodedOperand *operands)
{
	const ZydisDecodedOperand *from = &operands[1];

	if (is_memory(&operands[0]) || is_memory(from))
		return CLASS_NONE;
	if (is_general(&operands[0]))
		return is_vector(from) ? CLASS_FROM_VECTOR : CLASS_MOVE;
	return is_general(from) ? CLASS_TO_VECTOR : class;
}

/* Classifies shuffles, some of which only load or store. */
static enum insn_class classify_shuffle(enum insn_class class, const ZydisDecodedInstruction *z,
					const ZydisDecodedOperand *operands)
{
	bool extends = z->meta.category != ZYDIS_CATEGORY_BROADCAST && operands[0].size == 256 &&
		       is_vector(&operands[1]) && operands[1].size == 128 &&
		       z->operand_count_visible == 2;

	if (is_memory(&operands[0]))
		return CLASS_NONE;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_MOVDDUP:
	case ZYDIS_MNEMONIC_VMOVDDUP:
	case ZYDIS_MNEMONIC_MOVSHDUP:
	case ZYDIS_MNEMONIC_VMOVSHDUP:
	case ZYDIS_MNEMONIC_MOVSLDUP:
	case ZYDIS_MNEMONIC_VMOVSLDUP:
		return is_memory(&operands[1]) ? CLASS_NONE : class;
	case ZYDIS_MNEMONIC_VBROADCASTSS:
	case ZYDIS_MNEMONIC_VBROADCASTSD:
	case ZYDIS_MNEMONIC_VBROADCASTF128:
	case ZYDIS_MNEMONIC_VBROADCASTI128:
	case ZYDIS_MNEMONIC_VPBROADCASTD:
	case ZYDIS_MNEMONIC_VPBROADCASTQ:
		if (is_memory(&operands[1]))
			return CLASS_NONE;
		return operands[0].size == 256 ? CLASS_SHUFFLE_LANES : CLASS_SHUFFLE;
	case ZYDIS_MNEMONIC_VPBROADCASTB:
	case ZYDIS_MNEMONIC_VPBROADCASTW:
		return operands[0].size == 256 ? CLASS_SHUFFLE_LANES : CLASS_SHUFFLE;
	case ZYDIS_MNEMONIC_VINSERTF128:
	case ZYDIS_MNEMONIC_VINSERTI128:
		return is_memory(&operands[2]) ? CLASS_BLEND : class;
	default:
		return extends && class == CLASS_SHUFFLE ? CLASS_SHUFFLE_LANES : class;
	}
}

static enum insn_class classify_string(const ZydisDecodedInstruction *z)
{
	enum insn_class class = mnemonic_classes[z->mnemonic];

	if (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		return CLASS_REP;
	if (z->mnemonic == ZYDIS_MNEMONIC_MOVSD)
		return CLASS_MOVS;
	return z->mnemonic == ZYDIS_MNEMONIC_CMPSD ? CLASS_SCAS : class;
}

/* Returns the 256-bit class for instructions that take longer at that width. */
static enum insn_class classify_width(enum insn_class class, const ZydisDecodedOperand *operands)
{
	bool wide = is_vector(&operands[0]) && operands[0].size == 256;

	switch (class) {
	case CLASS_FDIV_S:
		return wide ? CLASS_FDIV_S256 : class;
	case CLASS_FDIV_D:
		return wide ? CLASS_FDIV_D256 : class;
	case CLASS_FSQRT_S:
		return wide ? CLASS_FSQRT_S256 : class;
	case CLASS_FSQRT_D:
		return wide ? CLASS_FSQRT_D256 : class;
	default:
		return class;
	}
}

/* Classifies instructions without a row: vector instructions are mostly short. */
static enum insn_class classify_unlisted(const ZydisDecodedInstruction *z,
					 const ZydisDecodedOperand *operands)
{
	if (z->operand_count && is_vector(&operands[0]))
		return CLASS_VINT;
	return z->meta.isa_set == ZYDIS_ISA_SET_X87 ? CLASS_X87_MISC : CLASS_MICROCODE;
}

enum insn_class classify(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
	enum insn_class class = mnemonic_classes[z->mnemonic];

	if (z->meta.category == ZYDIS_CATEGORY_STRINGOP)
		return classify_string(z);
	if (z->mnemonic == ZYDIS_MNEMONIC_MOVSD)
		return classify_vector_move(CLASS_VMOVE_SCALAR, operands);
	if (z->mnemonic == ZYDIS_MNEMONIC_CMPSD)
		return CLASS_FCMP;
	switch (class) {
	case CLASS_MICROCODE:
		return classify_unlisted(z, operands);
	case CLASS_MOVE:
		return classify_move(operands);
	case CLASS_MOVZX:
	case CLASS_MOVSX:
		return classify_extension(class, operands);
	case CLASS_ALU:
		return classify_alu(z, operands);
	case CLASS_LEA:
		return classify_lea(operands);
	case CLASS_SHIFT:
	case CLASS_ROTATE:
	case CLASS_SHLD:
	case CLASS_RCL:
		return classify_shift(class, operands);
	case CLASS_BT:
		return is_memory(&operands[0]) && is_register(&operands[1]) ? CLASS_BT_MEMORY
									    : class;
	case CLASS_BSWAP32:
		return z->operand_width == 64 ? CLASS_BSWAP64 : class;
	case CLASS_IMUL:
		return classify_imul(z);
	case CLASS_MUL64:
		return CLASS_MUL8 + size_step(z->operand_width);
	case CLASS_DIV64:
		return CLASS_DIV8 + size_step(z->operand_width);
	case CLASS_IDIV64:
		return CLASS_IDIV8 + size_step(z->operand_width);
	case CLASS_JMP:
	case CLASS_CALL:
	case CLASS_RET:
		return classify_branch(class, z, operands);
	case CLASS_VMOVE:
	case CLASS_VMOVE_SCALAR:
		return classify_vector_move(class, operands);
	case CLASS_SHUFFLE:
	case CLASS_SHUFFLE_FEW:
	case CLASS_SHUFFLE_LANES:
		return classify_shuffle(class, z, operands);
	case CLASS_VSHIFT:
		return is_vector(&operands[z->operand_count_visible - 1]) ? CLASS_VSHIFT_REG
									  : class;
	default:
		return classify_width(class, operands);
	}
}

bool merges_vector(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return false;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_SQRTSS:
	case ZYDIS_MNEMONIC_SQRTSD:
	case ZYDIS_MNEMONIC_RCPSS:
	case ZYDIS_MNEMONIC_RSQRTSS:
	case ZYDIS_MNEMONIC_ROUNDSS:
	case ZYDIS_MNEMONIC_ROUNDSD:
	case ZYDIS_MNEMONIC_CVTSI2SS:
	case ZYDIS_MNEMONIC_CVTSI2SD:
	case ZYDIS_MNEMONIC_CVTSD2SS:
	case ZYDIS_MNEMONIC_CVTSS2SD:
	case ZYDIS_MNEMONIC_MOVHPS:
	case ZYDIS_MNEMONIC_MOVHPD:
	case ZYDIS_MNEMONIC_MOVLPS:
	case ZYDIS_MNEMONIC_MOVLPD:
	case ZYDIS_MNEMONIC_MOVHLPS:
	case ZYDIS_MNEMONIC_MOVLHPS:
		return is_vector(&operands[0]);
	case ZYDIS_MNEMONIC_MOVSS:
	case ZYDIS_MNEMONIC_MOVSD:
		return is_vector(&operands[0]) && is_vector(&operands[1]);
	default:
		return false;
	}
}
