/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts Zydis's description of an instruction to the pipeline's. */
#include <string.h>

#include <Zydis/Zydis.h>

#include "emulator/sim/decode/classify.h"
#include "emulator/sim/decode/decode.h"
#include "emulator/sim/decode/traits.h"

#define STATUS_FLAGS                                                                 \
	(ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | \
	 ZYDIS_CPUFLAG_OF)

static ZydisMachineMode machine_mode(unsigned bits)
{
	return bits == 64   ? ZYDIS_MACHINE_MODE_LONG_64
	       : bits == 32 ? ZYDIS_MACHINE_MODE_LEGACY_32
			    : ZYDIS_MACHINE_MODE_LEGACY_16;
}

static bool decode_in(unsigned bits, const uint8_t *bytes, unsigned length,
		      ZydisDecodedInstruction *z, ZydisDecodedOperand *operands)
{
	static const ZydisStackWidth widths[] = {ZYDIS_STACK_WIDTH_16, ZYDIS_STACK_WIDTH_32,
						 ZYDIS_STACK_WIDTH_64};
	ZydisDecoder decoder;

	return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, machine_mode(bits), widths[bits / 32])) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, length, z, operands)) &&
	       z->length == length;
}

/* Returns the pipeline's name of a register; REG_NONE for registers that are not renamed (segments,
 * RIP). */
static uint8_t pipe_register(ZydisRegister reg)
{
	ZydisRegister whole;

	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
			return REG_RAX + (reg - ZYDIS_REGISTER_AH);
		/* fall through */
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
		return REG_RAX + (whole - ZYDIS_REGISTER_RAX);
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		return REG_VECTOR + (ZydisRegisterGetId(reg) & 15);
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
		return REG_X87 + (ZydisRegisterGetId(reg) & 7);
	default:
		return reg == ZYDIS_REGISTER_MXCSR || reg == ZYDIS_REGISTER_X87CONTROL ||
			       reg == ZYDIS_REGISTER_X87STATUS
			   ? REG_MISC
			   : REG_NONE;
	}
}

static void add_read(struct insn *insn, uint8_t reg)
{
	if (reg == REG_NONE || insn->read_count == INSN_READS_MAX)
		return;
	for (unsigned i = 0; i < insn->read_count; i++)
		if (insn->reads[i] == reg)
			return;
	insn->reads[insn->read_count++] = reg;
}

static void add_write(struct insn *insn, uint8_t reg)
{
	if (reg == REG_NONE || insn->write_count == INSN_WRITES_MAX)
		return;
	for (unsigned i = 0; i < insn->write_count; i++)
		if (insn->writes[i] == reg)
			return;
	insn->writes[insn->write_count++] = reg;
}

static bool is_general_class(ZydisRegisterClass class)
{
	return class == ZYDIS_REGCLASS_GPR8 || class == ZYDIS_REGCLASS_GPR16 ||
	       class == ZYDIS_REGCLASS_GPR32 || class == ZYDIS_REGCLASS_GPR64;
}

/* PUSH, POP, CALL and RET change RSP in the front end: no instruction waits for it. */
static bool moves_stack_pointer_early(const ZydisDecodedInstruction *z,
				      const ZydisDecodedOperand *operand)
{
	return operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
	       pipe_register(operand->reg.value) == REG_RSP &&
	       (z->meta.category == ZYDIS_CATEGORY_PUSH || z->meta.category == ZYDIS_CATEGORY_POP ||
		z->meta.category == ZYDIS_CATEGORY_CALL || z->meta.category == ZYDIS_CATEGORY_RET);
}

/* Notes which bits of a general register an operand reads and writes. */
static void take_parts(struct insn *insn, const ZydisDecodedOperand *operand)
{
	ZydisRegister reg = operand->reg.value;
	bool high = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
	enum register_part part = operand->size == 16 ? PART_WORD : high ? PART_HIGH : PART_LOW;
	uint16_t bit;

	if (!is_general_class(ZydisRegisterGetClass(reg)))
		return;
	bit = (uint16_t)(1u << pipe_register(reg));
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		*(operand->size >= 32 ? &insn->whole_reads : &insn->part_reads[part]) |= bit;
	if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) && operand->size < 32)
		insn->part_writes[part] |= bit;
	if (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
		insn->whole_reads |= bit;
}

static void take_register(struct insn *insn, const ZydisDecodedInstruction *z,
			  const ZydisDecodedOperand *operand)
{
	ZydisRegister reg = operand->reg.value;
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);
	uint8_t name = pipe_register(reg);

	if (class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	    class == ZYDIS_REGCLASS_ZMM)
		if (operand->size / 8 > insn->vector_size)
			insn->vector_size = operand->size / 8;
	insn->x87 |= class == ZYDIS_REGCLASS_X87;
	if (moves_stack_pointer_early(z, operand)) {
		insn->stack_engine = true;
		return;
	}
	take_parts(insn, operand);
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		add_read(insn, name);
	if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	add_write(insn, name);
	/* A partial or conditional write also reads: BSF and BSR of zero write nothing. */
	if ((is_general_class(class) && operand->size < 32) || insn->kind == CLASS_BITSCAN ||
	    (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE))
		add_read(insn, name);
}

static void take_memory(struct insn *insn, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *operand)
{
	const ZydisDecodedOperandMem *mem = &operand->mem;
	struct insn_memory *memory = &insn->memory[insn->memory_count];
	unsigned size = operand->size / 8;

	if (mem->type == ZYDIS_MEMOP_TYPE_AGEN) {
		add_read(insn, pipe_register(mem->base));
		add_read(insn, pipe_register(mem->index));
		return;
	}
	if (insn->memory_count == INSN_MEMORY_MAX || z->meta.category == ZYDIS_CATEGORY_NOP ||
	    z->meta.category == ZYDIS_CATEGORY_WIDENOP)
		return;
	memory->load = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	memory->store = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	memory->size = size > 64 ? 64 : size;
	memory->base = pipe_register(mem->base);
	memory->index = pipe_register(mem->index);
	memory->displacement = mem->disp.value;
	memory->simple = memory->base != REG_NONE && memory->index == REG_NONE &&
			 mem->disp.value >= 0 && mem->disp.value < SIMPLE_REACH;
	memory->complex = memory->index != REG_NONE &&
			  (mem->scale > 1 || (memory->base != REG_NONE && mem->disp.value));
	insn->memory_count++;
}

static void take_flags(struct insn *insn, const ZydisAccessedFlags *flags)
{
	uint32_t written;

	if (!flags)
		return;
	written = flags->modified | flags->set_0 | flags->set_1;
	if (flags->tested & ZYDIS_CPUFLAG_CF)
		add_read(insn, REG_CARRY);
	if (flags->tested & STATUS_FLAGS)
		add_read(insn, REG_FLAGS);
	if (written & ZYDIS_CPUFLAG_CF)
		add_write(insn, REG_CARRY);
	if (written & STATUS_FLAGS)
		add_write(insn, REG_FLAGS);
}

static void take_operands(struct insn *insn, const ZydisDecodedInstruction *z,
			  const ZydisDecodedOperand *operands)
{
	bool address_only = insn->kind == CLASS_PREFETCH || insn->kind == CLASS_CLFLUSH;

	for (unsigned i = 0; i < z->operand_count; i++) {
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
			take_register(insn, z, &operands[i]);
		else if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY && !address_only)
			take_memory(insn, z, &operands[i]);
	}
	take_flags(insn, z->cpu_flags);
	if (merges_vector(z, operands))
		add_read(insn, pipe_register(operands[0].reg.value));
}

static uint8_t branch_class(const ZydisDecodedInstruction *z, enum insn_class class)
{
	switch (class) {
	case CLASS_JCC:
	case CLASS_LOOP:
	case CLASS_LOOP_FLAG:
	case CLASS_JCXZ:
		return BRANCH_CONDITIONAL;
	case CLASS_JMP:
		return BRANCH_JUMP;
	case CLASS_JMP_INDIRECT:
		return BRANCH_JUMP_INDIRECT;
	case CLASS_CALL:
		return BRANCH_CALL;
	case CLASS_CALL_INDIRECT:
		return BRANCH_CALL_INDIRECT;
	case CLASS_RET:
		return BRANCH_RETURN;
	case CLASS_SYSCALL:
	case CLASS_INTERRUPT:
		return BRANCH_FAR;
	default:
		return z->meta.category == ZYDIS_CATEGORY_UNCOND_BR ? BRANCH_FAR : BRANCH_NONE;
	}
}

static void take_branch(struct insn *insn, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *operands)
{
	insn->branch = branch_class(z, insn->kind);
	if (insn->branch != BRANCH_CONDITIONAL && insn->branch != BRANCH_JUMP &&
	    insn->branch != BRANCH_CALL)
		return;
	insn->condition = z->opcode & 15;
	insn->has_target =
	    operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative;
	if (insn->has_target)
		insn->target = operands[0].imm.value.s + z->length;
}

/* Equal source registers: idioms that renaming detects in SUB, XOR, PCMPEQ and so on. */
static void take_idioms(struct insn *insn, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *operands)
{
	unsigned last = z->operand_count_visible - 1;
	bool legacy = z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
	unsigned first = z->operand_count_visible == 3 && !legacy ? 1 : 0;

	if (z->operand_count_visible < 2 || operands[first].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    operands[last].type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    operands[first].reg.value != operands[last].reg.value)
		return;
	insn->same_sources = true;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
		insn->zero_idiom = operands[0].size >= 32;
		return;
	case ZYDIS_MNEMONIC_PCMPEQB:
	case ZYDIS_MNEMONIC_PCMPEQW:
	case ZYDIS_MNEMONIC_PCMPEQD:
	case ZYDIS_MNEMONIC_PCMPEQQ:
	case ZYDIS_MNEMONIC_VPCMPEQB:
	case ZYDIS_MNEMONIC_VPCMPEQW:
	case ZYDIS_MNEMONIC_VPCMPEQD:
	case ZYDIS_MNEMONIC_VPCMPEQQ:
		insn->ones_idiom = true;
		return;
	case ZYDIS_MNEMONIC_PXOR:
	case ZYDIS_MNEMONIC_VPXOR:
	case ZYDIS_MNEMONIC_XORPS:
	case ZYDIS_MNEMONIC_VXORPS:
	case ZYDIS_MNEMONIC_XORPD:
	case ZYDIS_MNEMONIC_VXORPD:
	case ZYDIS_MNEMONIC_PCMPGTB:
	case ZYDIS_MNEMONIC_PCMPGTW:
	case ZYDIS_MNEMONIC_PCMPGTD:
	case ZYDIS_MNEMONIC_VPCMPGTB:
	case ZYDIS_MNEMONIC_VPCMPGTW:
	case ZYDIS_MNEMONIC_VPCMPGTD:
		insn->zero_idiom = insn->vector_size >= 16;
		return;
	default:
		/* PSUBB to PSUBQ: F8H to FBH. */
		insn->zero_idiom = insn->kind == CLASS_VINT && insn->vector_size >= 16 &&
				   (z->opcode & 0xf8) == 0xf8 && z->opcode < 0xfc;
	}
}

static void take_fusion(struct insn *insn, const ZydisDecodedInstruction *z,
			const ZydisDecodedOperand *operands)
{
	bool both = operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_TEST:
		insn->fusible = both ? FUSIBLE_NO : FUSIBLE_TEST;
		break;
	case ZYDIS_MNEMONIC_CMP:
		insn->fusible = both ? FUSIBLE_NO : FUSIBLE_CMP;
		break;
	case ZYDIS_MNEMONIC_AND:
		insn->fusible = FUSIBLE_AND;
		break;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		insn->fusible = FUSIBLE_ADD;
		break;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		insn->fusible = FUSIBLE_INC;
		break;
	default:
		break;
	}
	for (unsigned i = 0; i < insn->memory_count; i++)
		if (insn->memory[i].store)
			insn->fusible = FUSIBLE_NO;
}

/* True if the source `operand` is one number. The target of a VEX instruction of scalars is a whole
 * register. */
static bool is_scalar_float(const ZydisDecodedOperand *operand)
{
	return operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->element_count <= 1;
}

/* Sets the fields for counters of floating-point operations. */
static void take_fp(struct insn *insn, const ZydisDecodedInstruction *z,
		    const ZydisDecodedOperand *operands)
{
	unsigned width = insn->vector_size == 32 ? 2 : 1;
	unsigned is_double;

	switch (insn->kind) {
	case CLASS_X87_ADD:
	case CLASS_X87_MUL:
	case CLASS_X87_DIV:
	case CLASS_X87_SQRT:
		insn->fp = FP_X87;
		insn->flops = 1;
		return;
	case CLASS_FMA:
		insn->operation = FP_MULTIPLY_ADD;
		insn->flops = 2;
		break;
	case CLASS_DPPS:
		insn->flops = 2;
		break;
	case CLASS_FADD:
	case CLASS_HADD:
		insn->operation = FP_ADD;
		insn->flops = 1;
		break;
	case CLASS_FMUL:
		insn->operation = FP_MULTIPLY;
		insn->flops = 1;
		break;
	case CLASS_RCP:
		insn->flops = 1;
		break;
	case CLASS_FDIV_S ... CLASS_FSQRT_D256:
		insn->operation = FP_DIVIDE;
		insn->flops = 1;
		break;
	case CLASS_FCMP:
		if (z->operand_count_visible ==
		    (z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ? 3 : 4))
			return; /* CMPPS and its kind, with a condition */
		insn->flops = 1;
		break;
	default:
		return;
	}
	is_double = operands[0].element_type == ZYDIS_ELEMENT_TYPE_FLOAT64;
	insn->fp = is_scalar_float(&operands[z->operand_count_visible - 1])
		       ? FP_SCALAR_SINGLE + is_double
		       : FP_128_SINGLE + 2 * (width - 1) + is_double;
}

static bool is_serialising(const struct insn *insn, const ZydisDecodedInstruction *z)
{
	return insn->kind == CLASS_CPUID || insn->kind == CLASS_WRMSR ||
	       insn->kind == CLASS_SYSTEM || insn->kind == CLASS_SYSCALL ||
	       (insn->kind == CLASS_INTERRUPT && z->mnemonic != ZYDIS_MNEMONIC_UD1) ||
	       insn->kind == CLASS_LFENCE;
}

static bool streams(ZydisMnemonic mnemonic)
{
	return (mnemonic >= ZYDIS_MNEMONIC_MOVNTDQ && mnemonic <= ZYDIS_MNEMONIC_MOVNTSS &&
		mnemonic != ZYDIS_MNEMONIC_MOVNTDQA) ||
	       mnemonic == ZYDIS_MNEMONIC_VMOVNTDQ || mnemonic == ZYDIS_MNEMONIC_VMOVNTPD ||
	       mnemonic == ZYDIS_MNEMONIC_VMOVNTPS;
}

static void take_all(struct insn *insn, const ZydisDecodedInstruction *z,
		     const ZydisDecodedOperand *operands)
{
	insn->kind = classify(z, operands);
	insn->operand_size = z->operand_width / 8;
	insn->repeats = insn->kind == CLASS_REP;
	insn->x87_push = x87_push(z);
	take_operands(insn, z, operands);
	take_branch(insn, z, operands);
	take_idioms(insn, z, operands);
	take_fusion(insn, z, operands);
	take_fp(insn, z, operands);
	take_traits(insn, z, operands);
	insn->locked = (z->attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
		       (z->mnemonic == ZYDIS_MNEMONIC_XCHG && insn->memory_count);
	insn->streams = streams(z->mnemonic);
	insn->sign_extends =
	    z->mnemonic == ZYDIS_MNEMONIC_MOVSX || z->mnemonic == ZYDIS_MNEMONIC_MOVSXD;
	insn->serialising = is_serialising(insn, z);
	insn->alone = insn->serialising || insn->kind == CLASS_RDMSR || insn->kind == CLASS_RDPMC;
	insn->eliminable = insn->kind == CLASS_MOVE || insn->kind == CLASS_MOVE_32 ||
			   insn->kind == CLASS_ADD_SMALL || insn->kind == CLASS_LEA_SMALL ||
			   (insn->kind == CLASS_MOVZX8 && !insn->part_reads[PART_HIGH] &&
			    insn->reads[0] != insn->writes[0]) ||
			   (insn->kind == CLASS_VMOVE && insn->vector_size >= 16);
}

void decode_insn(const uint8_t *bytes, unsigned length, struct insn *insn)
{
	static const uint8_t modes[] = {64, 32, 16};
	ZydisDecodedInstruction z;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	memset(insn, 0, sizeof(*insn));
	insn->length = length;
	insn->branch = BRANCH_NONE;
	for (unsigned i = 0; i < sizeof(modes); i++) {
		if (!decode_in(modes[i], bytes, length, &z, operands))
			continue;
		insn->bits = modes[i];
		take_all(insn, &z, operands);
		return;
	}
}
