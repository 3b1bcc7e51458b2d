/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracks the sums by which programs step through memory; any other write makes a register unknown
 * until the block's end. */
#include <string.h>

#include <Zydis/Zydis.h>

#include "emulator/sim/decode/touch.h"

void touch_begin(struct touch_tracker *tracker)
{
	for (unsigned i = 0; i < TOUCH_REGISTERS; i++) {
		tracker->registers[i].from = (uint8_t)i;
		tracker->registers[i].plus = 0;
	}
}

/* Returns the number of a general register of any width; TOUCH_UNKNOWN: another register. */
static unsigned number_of(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return TOUCH_UNKNOWN;
	return whole - ZYDIS_REGISTER_RAX;
}

static bool is_whole(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_GPR64;
}

/* Adds one register of an address as a sum: false if it is unknown. */
static bool add_register(const struct touch_tracker *tracker, ZydisRegister reg, uint8_t scale,
			 uint8_t *out, uint64_t *sum)
{
	unsigned number;

	*out = TOUCH_CONSTANT;
	if (reg == ZYDIS_REGISTER_NONE)
		return true;
	if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR64)
		return false;
	number = number_of(reg);
	*out = tracker->registers[number].from;
	*sum += tracker->registers[number].plus * scale;
	return *out != TOUCH_UNKNOWN;
}

/* Computes the address of an operand; base and index may be the same register. */
static bool take_address(const struct touch_tracker *tracker, const ZydisDecodedOperandMem *mem,
			 uint64_t after, struct touch *touch)
{
	touch->segment = mem->segment == ZYDIS_REGISTER_FS   ? TOUCH_FS
			 : mem->segment == ZYDIS_REGISTER_GS ? TOUCH_GS
							     : 0;
	touch->scale = mem->scale;
	touch->displacement = mem->disp.has_displacement ? (uint64_t)mem->disp.value : 0;
	if (mem->base == ZYDIS_REGISTER_RIP) {
		touch->base = touch->index = TOUCH_CONSTANT;
		touch->displacement += after;
		return true;
	}
	return add_register(tracker, mem->base, 1, &touch->base, &touch->displacement) &&
	       add_register(tracker, mem->index, mem->scale, &touch->index, &touch->displacement);
}

/* Sets *sum to the instruction's result; false unless it is a register plus a constant. */
static bool take_sum(const struct touch_tracker *tracker, const ZydisDecodedInstruction *z,
		     const ZydisDecodedOperand *operands, uint64_t after, struct touch *sum)
{
	const ZydisDecodedOperand *from = &operands[z->operand_count_visible - 1];
	unsigned number = number_of(operands[0].reg.value);

	*sum = (struct touch){.base = tracker->registers[number].from,
			      .displacement = tracker->registers[number].plus,
			      .index = TOUCH_CONSTANT};
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_INC:
		sum->displacement++;
		return true;
	case ZYDIS_MNEMONIC_DEC:
		sum->displacement--;
		return true;
	case ZYDIS_MNEMONIC_ADD:
		sum->displacement += (uint64_t)from->imm.value.s;
		return from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	case ZYDIS_MNEMONIC_SUB:
		sum->displacement -= (uint64_t)from->imm.value.s;
		return from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	case ZYDIS_MNEMONIC_LEA:
		return take_address(tracker, &from->mem, after, sum) && !sum->segment &&
		       sum->index == TOUCH_CONSTANT;
	case ZYDIS_MNEMONIC_MOV:
		*sum = (struct touch){.base = TOUCH_CONSTANT, .index = TOUCH_CONSTANT};
		if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			sum->displacement = from->imm.value.u;
		return from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		       (is_whole(from) &&
			add_register(tracker, from->reg.value, 1, &sum->base, &sum->displacement));
	default:
		return false;
	}
}

static void follow(struct touch_tracker *tracker, const ZydisDecodedInstruction *z,
		   const ZydisDecodedOperand *operands, uint64_t after)
{
	struct touch sum;
	bool known = z->operand_count_visible && is_whole(&operands[0]) &&
		     !(z->attributes & ZYDIS_ATTRIB_HAS_LOCK) &&
		     take_sum(tracker, z, operands, after, &sum);

	for (unsigned i = 0; i < z->operand_count; i++) {
		unsigned number;

		if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		number = number_of(operands[i].reg.value);
		if (number < TOUCH_REGISTERS)
			tracker->registers[number].from = TOUCH_UNKNOWN;
	}
	if (!known)
		return;
	tracker->registers[number_of(operands[0].reg.value)].from = sum.base;
	tracker->registers[number_of(operands[0].reg.value)].plus = sum.displacement;
}

static bool kind_of(ZydisMnemonic mnemonic, uint8_t *kind)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
		*kind = TOUCH_FLUSH;
		return true;
	case ZYDIS_MNEMONIC_CLWB:
		*kind = TOUCH_CLEAN;
		return true;
	case ZYDIS_MNEMONIC_PREFETCH ... ZYDIS_MNEMONIC_PREFETCHWT1:
		*kind = TOUCH_PREFETCH;
		return true;
	case ZYDIS_MNEMONIC_INVLPG:
		*kind = TOUCH_PAGE;
		return true;
	default:
		return false;
	}
}

bool touch_next(struct touch_tracker *tracker, uint64_t address, const void *bytes, unsigned length,
		struct touch *touch)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, length, &z, operands))) {
		for (unsigned i = 0; i < TOUCH_REGISTERS; i++)
			tracker->registers[i].from = TOUCH_UNKNOWN;
		return false;
	}
	if (kind_of(z.mnemonic, &touch->kind))
		return take_address(tracker, &operands[0].mem, address + length, touch);
	follow(tracker, &z, operands, address + length);
	return false;
}
