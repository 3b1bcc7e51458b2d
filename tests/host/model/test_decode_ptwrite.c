/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder of PTWRITE against Zydis, an independent one: random ModRM, SIB and displacement
 * after random prefixes, with the address of an operand in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <Zydis/Zydis.h>
#include <cmocka.h>

#include "emulator/visor/model/insn/ptwrite.h"

#define ADDRESS 0x401234567ull
#define ROUNDS  400000

static uint64_t seed = 1;

static uint64_t random64(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 0x2545f4914f6cdd1dull;
}

/* Any prefixes, in half of the cases F3 as the last one but REX; then 0F AE. */
static void make(uint8_t bytes[16], bool wide)
{
	static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67,
					   0xf0, 0xf2, 0xf3, 0x40, 0x41, 0x44, 0x48, 0x4f};
	uint64_t words[2] = {random64(), random64()};
	unsigned n = 0;

	memcpy(bytes, words, 16);
	for (uint64_t count = random64() % 3; count--;)
		bytes[n++] = prefixes[random64() % sizeof(prefixes)];
	if (random64() % 2)
		bytes[n++] = 0xf3;
	if (wide && random64() % 2)
		bytes[n++] = 0x40 | (random64() & 15);
	bytes[n++] = 0x0f;
	bytes[n] = 0xae;
}

static const ZydisRegister names[16] = {
    ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RBX,
    ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI,
    ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,  ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
    ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};

static void check_operand(const struct ptwrite *ours, const ZydisDecodedInstruction *z,
			  const ZydisDecodedOperand *operand, ZydisMachineMode mode)
{
	ZydisRegisterContext context = {0};
	uint64_t registers[16], expected;

	assert_int_equal(ours->length, z->length);
	assert_int_equal(ours->bytes * 8, operand->size);
	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		assert_int_equal(ours->kind, PTWRITE_REGISTER);
		assert_int_equal(ours->base, ZydisRegisterGetId(operand->reg.value));
		return;
	}
	for (unsigned i = 0; i < 16; i++) {
		ZydisRegister narrow = ZydisRegisterEncode(ZYDIS_REGCLASS_GPR32, (ZyanU8)i);

		registers[i] = random64();
		context.values[names[i]] = registers[i];
		context.values[narrow] = (uint32_t)registers[i];
	}
	assert_true(
	    ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(z, operand, ADDRESS, &context, &expected)));
	if (mode != ZYDIS_MACHINE_MODE_LONG_64 || z->address_width == 32)
		expected = (uint32_t)expected;
	assert_int_equal(ptwrite_offset(ours, registers, ADDRESS + z->length), expected);
}

/* An operand-size prefix is undefined; Zydis overlooks one between two F3. */
static bool has_operand_size(const ZydisDecodedInstruction *z)
{
	for (unsigned i = 0; i < z->raw.prefix_count; i++)
		if (z->raw.prefixes[i].value == 0x66)
			return true;
	return false;
}

static unsigned compare(ZydisMachineMode machine, ZydisStackWidth width, enum decode_mode mode)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;
	unsigned found = 0;

	assert_true(ZYAN_SUCCESS(ZydisDecoderInit(&decoder, machine, width)));
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct ptwrite ours;
		uint8_t bytes[16];
		bool is, expected;

		make(bytes, mode == DECODE_64);
		expected =
		    ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, 15, &z, operands)) &&
		    z.mnemonic == ZYDIS_MNEMONIC_PTWRITE && z.address_width != 16 &&
		    !has_operand_size(&z);
		is = ptwrite_decode(bytes, 15, mode, &ours);
		assert_int_equal(is, expected);
		if (!is)
			continue;
		found++;
		check_operand(&ours, &z, &operands[0], machine);
		assert_false(ptwrite_decode(bytes, z.length - 1u, mode, &ours));
	}
	return found;
}

static void test_64(void **state)
{
	(void)state;
	assert_true(compare(ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64, DECODE_64) > 10000);
}

static void test_32(void **state)
{
	(void)state;
	assert_true(compare(ZYDIS_MACHINE_MODE_LONG_COMPAT_32, ZYDIS_STACK_WIDTH_32, DECODE_32) >
		    10000);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_64), cmocka_unit_test(test_32)};

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decode PTWRITE", tests, NULL, NULL);
}
