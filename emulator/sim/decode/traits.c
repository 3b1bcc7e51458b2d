/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of single instructions, by mnemonic: gathers, false dependencies, upper halves of
 * vectors, repetitions, moves of the x87 stack. */
#include "emulator/sim/decode/traits.h"

/* Cycles of a repetition. Agner Fog, instruction tables, Skylake: 2 for CMPS, SCAS and LODS. */
static uint8_t round_of(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_CMPSB:
	case ZYDIS_MNEMONIC_CMPSW:
	case ZYDIS_MNEMONIC_CMPSD:
	case ZYDIS_MNEMONIC_CMPSQ:
	case ZYDIS_MNEMONIC_SCASB:
	case ZYDIS_MNEMONIC_SCASW:
	case ZYDIS_MNEMONIC_SCASD:
	case ZYDIS_MNEMONIC_SCASQ:
	case ZYDIS_MNEMONIC_LODSB:
	case ZYDIS_MNEMONIC_LODSW:
	case ZYDIS_MNEMONIC_LODSD:
	case ZYDIS_MNEMONIC_LODSQ:
		return 2;
	default:
		return 0;
	}
}

static uint8_t false_dependency(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_POPCNT:
		return FALSE_POPCNT;
	case ZYDIS_MNEMONIC_LZCNT:
	case ZYDIS_MNEMONIC_TZCNT:
		return FALSE_COUNT;
	case ZYDIS_MNEMONIC_VPERMD:
	case ZYDIS_MNEMONIC_VPERMQ:
	case ZYDIS_MNEMONIC_VPERMPS:
	case ZYDIS_MNEMONIC_VPERMPD:
		return FALSE_LANES;
	default:
		return 0;
	}
}

static unsigned register_bits(ZydisRegister reg)
{
	return ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);
}

/* Returns the loads of a gather: as many as it has both indices and places in its result. */
static uint8_t gathered(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands)
{
	bool wide_index = false, wide_data = false;
	unsigned indices, places;

	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_VGATHERQPD:
	case ZYDIS_MNEMONIC_VPGATHERQQ:
		wide_data = true;
		/* fall through */
	case ZYDIS_MNEMONIC_VGATHERQPS:
	case ZYDIS_MNEMONIC_VPGATHERQD:
		wide_index = true;
		break;
	case ZYDIS_MNEMONIC_VGATHERDPD:
	case ZYDIS_MNEMONIC_VPGATHERDQ:
		wide_data = true;
		break;
	default:
		break;
	}
	indices = register_bits(operands[1].mem.index) / (wide_index ? 64 : 32);
	places = register_bits(operands[0].reg.value) / (wide_data ? 64 : 32);
	return (uint8_t)(indices < places ? indices : places);
}

/* Sets the fields about the upper halves of vector registers. */
static void take_upper(struct insn *insn, const ZydisDecodedInstruction *z,
		       const ZydisDecodedOperand *operands)
{
	bool vector = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		      (operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
	ZydisRegisterClass class =
	    vector ? ZydisRegisterGetClass(operands[0].reg.value) : ZYDIS_REGCLASS_INVALID;

	if (class == ZYDIS_REGCLASS_YMM)
		insn->upper = UPPER_DIRTIES;
	else if (insn->kind == CLASS_ZEROUPPER)
		insn->upper = UPPER_CLEANS;
	else if (z->mnemonic == ZYDIS_MNEMONIC_XRSTOR || z->mnemonic == ZYDIS_MNEMONIC_XRSTOR64)
		insn->upper = UPPER_RESTORES;
	insn->merges_upper =
	    class == ZYDIS_REGCLASS_XMM && z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
}

void take_traits(struct insn *insn, const ZydisDecodedInstruction *z,
		 const ZydisDecodedOperand *operands)
{
	take_upper(insn, z, operands);
	insn->false_dependency = false_dependency(z->mnemonic);
	if (insn->kind == CLASS_GATHER)
		insn->elements = gathered(z, operands);
	if (insn->elements == 8)
		insn->kind = CLASS_GATHER_8;
	if (insn->kind == CLASS_CLD)
		insn->direction = z->mnemonic == ZYDIS_MNEMONIC_STD ? DIRECTION_DOWN : DIRECTION_UP;
	insn->round = insn->repeats ? round_of(z->mnemonic) : 0;
}

int x87_push(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_FLD:
	case ZYDIS_MNEMONIC_FILD:
	case ZYDIS_MNEMONIC_FBLD:
	case ZYDIS_MNEMONIC_FLD1:
	case ZYDIS_MNEMONIC_FLDZ:
	case ZYDIS_MNEMONIC_FLDPI:
	case ZYDIS_MNEMONIC_FLDL2E:
	case ZYDIS_MNEMONIC_FLDL2T:
	case ZYDIS_MNEMONIC_FLDLG2:
	case ZYDIS_MNEMONIC_FLDLN2:
	case ZYDIS_MNEMONIC_FSINCOS:
	case ZYDIS_MNEMONIC_FPTAN:
	case ZYDIS_MNEMONIC_FXTRACT:
	case ZYDIS_MNEMONIC_FDECSTP:
		return 1;
	case ZYDIS_MNEMONIC_FCOMPP:
	case ZYDIS_MNEMONIC_FUCOMPP:
		return -2;
	case ZYDIS_MNEMONIC_FSTP:
	case ZYDIS_MNEMONIC_FISTP:
	case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_FBSTP:
	case ZYDIS_MNEMONIC_FADDP:
	case ZYDIS_MNEMONIC_FSUBP:
	case ZYDIS_MNEMONIC_FSUBRP:
	case ZYDIS_MNEMONIC_FMULP:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FCOMP:
	case ZYDIS_MNEMONIC_FUCOMP:
	case ZYDIS_MNEMONIC_FCOMIP:
	case ZYDIS_MNEMONIC_FUCOMIP:
	case ZYDIS_MNEMONIC_FICOMP:
	case ZYDIS_MNEMONIC_FYL2X:
	case ZYDIS_MNEMONIC_FPATAN:
	case ZYDIS_MNEMONIC_FINCSTP:
		return -1;
	default:
		return 0;
	}
}
