/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the operands of vector instructions of floating point, and denormal numbers in them. */
#include "emulator/sim/decode/floats.h"

#include <string.h>

#include "emulator/sim/decode/decode.h"

#define VECTORS 16 /* registers */

#define SINGLE_EXPONENT 0x7f800000u
#define SINGLE_MANTISSA 0x007fffffu
#define DOUBLE_EXPONENT 0x7ff0000000000000u
#define DOUBLE_MANTISSA 0x000fffffffffffffu

static bool is_vector_register(uint8_t reg)
{
	return reg >= REG_VECTOR && reg < REG_VECTOR + VECTORS;
}

static bool is_vex(uint8_t first)
{
	return first == 0xc4 || first == 0xc5;
}

static bool is_square_root(enum insn_class kind)
{
	return kind >= CLASS_FSQRT_S && kind <= CLASS_FSQRT_D256;
}

/* A square root has one source, the operand named last: the other only fills its upper part. The
 * decoder lists a VEX instruction's operands in order; of others, a source that differs from the
 * target is the one, in any order. */
static void keep_source(struct float_op *op, unsigned nr, bool vex)
{
	uint8_t source = FLOATS_NO_REGISTER;

	if (nr && !op->loads)
		source = op->sources[vex || op->sources[0] == op->target ? nr - 1 : 0];
	memset(op->sources, FLOATS_NO_REGISTER, sizeof(op->sources));
	op->sources[0] = source;
}

static uint8_t bytes_of(enum fp_width width)
{
	static const uint8_t bytes[FP_WIDTHS] = {
	    [FP_SCALAR_SINGLE] = 4, [FP_SCALAR_DOUBLE] = 8, [FP_128_SINGLE] = 16,
	    [FP_128_DOUBLE] = 16,   [FP_256_SINGLE] = 32,   [FP_256_DOUBLE] = 32,
	};

	return bytes[width];
}

static bool is_prefix(uint8_t byte)
{
	return (byte & 0xf0) == 0x40 || byte == 0x66 || byte == 0x67 || byte == 0xf2 ||
	       byte == 0xf3 || byte == 0x64 || byte == 0x65;
}

/* False for most instructions: the full decoder is slow. True for VEX and for 0FH with the opcode
 * of a square root, an addition, a product, a difference or a quotient. */
static bool may_be_float(const uint8_t *bytes, unsigned length)
{
	unsigned at = 0;

	while (at + 2 < length && is_prefix(bytes[at]))
		at++;
	if (is_vex(bytes[at]))
		return true;
	return at + 2 < length && bytes[at] == 0x0f &&
	       (bytes[at + 1] == 0x51 || bytes[at + 1] == 0x58 || bytes[at + 1] == 0x59 ||
		bytes[at + 1] == 0x5c || bytes[at + 1] == 0x5e);
}

bool float_op_of(const void *bytes, unsigned length, struct float_op *op)
{
	struct insn insn;
	unsigned nr = 0;

	if (!may_be_float(bytes, length))
		return false;
	decode_insn(bytes, length, &insn);
	if (insn.operation == FP_NO_OPERATION || !bytes_of(insn.fp))
		return false;
	*op = (struct float_op){.operation = insn.operation,
				.target = FLOATS_NO_REGISTER,
				.bytes = bytes_of(insn.fp),
				.loads = insn.memory_count};
	op->is_double =
	    insn.fp == FP_SCALAR_DOUBLE || insn.fp == FP_128_DOUBLE || insn.fp == FP_256_DOUBLE;
	memset(op->sources, FLOATS_NO_REGISTER, sizeof(op->sources));
	for (unsigned i = 0; i < insn.read_count && nr < FLOATS_SOURCES; i++)
		if (is_vector_register(insn.reads[i]))
			op->sources[nr++] = insn.reads[i] - REG_VECTOR;
	for (unsigned i = 0; i < insn.write_count; i++)
		if (is_vector_register(insn.writes[i]))
			op->target = insn.writes[i] - REG_VECTOR;
	if (is_square_root(insn.kind))
		keep_source(op, nr, is_vex(*(const uint8_t *)bytes));
	return true;
}

bool floats_denormal(const void *values, unsigned bytes, bool is_double)
{
	const char *at = values;

	for (unsigned i = 0; is_double && i < bytes; i += sizeof(uint64_t)) {
		uint64_t value;

		memcpy(&value, at + i, sizeof(value));
		if (!(value & DOUBLE_EXPONENT) && (value & DOUBLE_MANTISSA))
			return true;
	}
	for (unsigned i = 0; !is_double && i < bytes; i += sizeof(uint32_t)) {
		uint32_t value;

		memcpy(&value, at + i, sizeof(value));
		if (!(value & SINGLE_EXPONENT) && (value & SINGLE_MANTISSA))
			return true;
	}
	return false;
}
