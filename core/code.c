/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes instructions (Zydis) as far as running them tells them apart. */
#include "core/code.h"

#include <Zydis/Zydis.h>

static bool decode_as(ZydisMachineMode mode, ZydisStackWidth width, const void *bytes,
		      size_t length, ZydisDecodedInstruction *insn, ZydisDecodedOperand *operands)
{
	ZydisDecoder decoder;

	return ZYAN_SUCCESS(ZydisDecoderInit(&decoder, mode, width)) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, length, insn, operands)) &&
	       insn->length == length;
}

/* The mode in which the bytes are as long as they were when they ran: nobody tells it. */
static bool decode(const void *bytes, size_t length, uint64_t address,
		   ZydisDecodedInstruction *insn, ZydisDecodedOperand *operands)
{
	return decode_as(ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64, bytes, length, insn,
			 operands) ||
	       (address <= UINT32_MAX &&
		(decode_as(ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32, bytes, length, insn,
			   operands) ||
		 decode_as(ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16, bytes, length, insn,
			   operands)));
}

static enum code_kind near_kind(const ZydisDecodedInstruction *insn,
				const ZydisDecodedOperand *operands)
{
	bool direct = operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return CODE_NEAR + (direct ? BRANCH_CALL : BRANCH_CALL_INDIRECT);
	case ZYDIS_CATEGORY_RET:
		return CODE_NEAR + BRANCH_RETURN;
	case ZYDIS_CATEGORY_COND_BR:
		return insn->mnemonic == ZYDIS_MNEMONIC_XBEGIN ? CODE_PLAIN
							       : CODE_NEAR + BRANCH_CONDITIONAL;
	default:
		return CODE_NEAR + (direct ? BRANCH_JUMP : BRANCH_JUMP_INDIRECT);
	}
}

static enum code_kind kind_of(const ZydisDecodedInstruction *insn,
			      const ZydisDecodedOperand *operands)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INTO:
		return CODE_FAR_IN;
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
		return CODE_FAR_OUT;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return CODE_FAR_FRAME;
	case ZYDIS_MNEMONIC_RSM:
		return CODE_FAR;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return CODE_FAULTS;
	default:
		break;
	}
	if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE)
		return CODE_PLAIN;
	if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return insn->meta.category == ZYDIS_CATEGORY_RET ? CODE_FAR_FRAME : CODE_FAR;
	return near_kind(insn, operands);
}

/* Instructions that name memory, but may end without an access to it. */
static bool may_pass_by(const ZydisDecodedInstruction *insn)
{
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
	case ZYDIS_CATEGORY_AVX2GATHER:
		return true;
	default:
		break;
	}
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_ENTER:
		return true;
	default:
		return false;
	}
}

static void look_at_operands(struct code_insn *out, const ZydisDecodedInstruction *insn,
			     const ZydisDecodedOperand *operands)
{
	for (unsigned i = 0; i < insn->operand_count; i++) {
		if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    operands[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		out->loads |= (operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
		out->stores |= (operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
	}
	if (may_pass_by(insn) && insn->meta.category != ZYDIS_CATEGORY_AVX2GATHER)
		out->loads = out->stores = false;
	out->repeats = (insn->meta.category == ZYDIS_CATEGORY_STRINGOP ||
			insn->meta.category == ZYDIS_CATEGORY_IOSTRINGOP) &&
		       (insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
					    ZYDIS_ATTRIB_HAS_REPNE)) != 0;
	out->accesses = (out->loads || out->stores) && !out->repeats && !may_pass_by(insn);
}

void code_append(struct code_block *block, const void *bytes, size_t length)
{
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct code_insn *out = &block->insn[block->nr++];
	ZyanU64 target = 0;

	*out = (struct code_insn){.address = block->end, .length = (uint8_t)length};
	block->end += length;
	if (!decode(bytes, length, out->address, &insn, operands))
		return;
	out->kind = (uint8_t)kind_of(&insn, operands);
	look_at_operands(out, &insn, operands);
	block->loads += out->loads;
	block->stores += out->stores;
	if (out->kind >= CODE_NEAR && out->kind <= CODE_NEAR_LAST &&
	    operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&insn, &operands[0], out->address, &target)))
		block->target = target;
}
