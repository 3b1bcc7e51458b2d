/* SPDX-License-Identifier: BSD-2-Clause */
/* Which instructions can need an assist for denormal numbers, and which numbers are denormal. */
#include <float.h>

#include "emulator/sim/decode/decode.h"
#include "emulator/sim/decode/floats.h"
#include "emulator/sim/plugin/qemu/vectors.h"
#include "tests/sim/core_test.h"

#define NONE FLOATS_NO_REGISTER

static const struct row {
	const char *name;
	uint8_t code[8], length;
	uint8_t operation, sources[FLOATS_SOURCES], target, bytes;
	bool is_double, loads;
} rows[] = {
    {"addss xmm1, xmm0", {0xf3, 0x0f, 0x58, 0xc8}, 4, FP_ADD, {1, 0, NONE}, 1, 4, false, false},
    {"mulpd xmm9, xmm1",
     {0x66, 0x44, 0x0f, 0x59, 0xc9},
     5,
     FP_MULTIPLY,
     {9, 1, NONE},
     9,
     16,
     true,
     false},
    {"divsd xmm2, [rdi]",
     {0xf2, 0x0f, 0x5e, 0x17},
     4,
     FP_DIVIDE,
     {2, NONE, NONE},
     2,
     8,
     true,
     true},
    {"sqrtsd xmm2, xmm3",
     {0xf2, 0x0f, 0x51, 0xd3},
     4,
     FP_DIVIDE,
     {3, NONE, NONE},
     2,
     8,
     true,
     false},
    {"vsqrtsd xmm1, xmm2, xmm3",
     {0xc5, 0xeb, 0x51, 0xcb},
     4,
     FP_DIVIDE,
     {3, NONE, NONE},
     1,
     8,
     true,
     false},
    {"sqrtsd xmm2, [rdi]",
     {0xf2, 0x0f, 0x51, 0x17},
     4,
     FP_DIVIDE,
     {NONE, NONE, NONE},
     2,
     8,
     true,
     true},
    {"vaddsd xmm1, xmm2, xmm3",
     {0xc5, 0xeb, 0x58, 0xcb},
     4,
     FP_ADD,
     {2, 3, NONE},
     1,
     8,
     true,
     false},
    {"vfmadd231ss xmm1, xmm2, xmm3",
     {0xc4, 0xe2, 0x69, 0xb9, 0xcb},
     5,
     FP_MULTIPLY_ADD,
     {1, 2, 3},
     1,
     4,
     false,
     false},
    {"vsubps ymm1, ymm2, ymm3",
     {0xc5, 0xec, 0x5c, 0xcb},
     4,
     FP_ADD,
     {2, 3, NONE},
     1,
     32,
     false,
     false},
    {"movaps xmm1, xmm0", {0x0f, 0x28, 0xc8}, 3, FP_NO_OPERATION, {0}, 0, 0, false, false},
    {"paddd xmm1, xmm0", {0x66, 0x0f, 0xfe, 0xc8}, 4, FP_NO_OPERATION, {0}, 0, 0, false, false},
    {"fadd st, st(1)", {0xd8, 0xc1}, 2, FP_NO_OPERATION, {0}, 0, 0, false, false},
    {"a prefix alone", {0x66, 0x90}, 2, FP_NO_OPERATION, {0}, 0, 0, false, false},
};

static bool has(const uint8_t *sources, uint8_t reg)
{
	for (unsigned i = 0; i < FLOATS_SOURCES; i++)
		if (sources[i] == reg)
			return true;
	return false;
}

static void operands_are_found(void **state)
{
	struct float_op op;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		bool is = float_op_of(row->code, row->length, &op);

		print_message("# %s\n", row->name);
		assert_int_equal(is, row->operation != FP_NO_OPERATION);
		if (!is)
			continue;
		assert_int_equal(op.operation, row->operation);
		for (unsigned s = 0; s < FLOATS_SOURCES; s++)
			assert_true(has(op.sources, row->sources[s]));
		assert_int_equal(op.target, row->target);
		assert_int_equal(op.bytes, row->bytes);
		assert_int_equal(op.is_double, row->is_double);
		assert_int_equal(op.loads, row->loads);
	}
}

static void denormal_numbers_are_known(void **state)
{
	double doubles[2] = {1, -DBL_MIN};
	float floats[4] = {0, -0.0f, FLT_MAX, FLT_MIN};

	(void)state;
	assert_false(floats_denormal(doubles, sizeof(doubles), true));
	doubles[1] = -DBL_MIN / 2;
	assert_true(floats_denormal(doubles, sizeof(doubles), true));
	assert_false(floats_denormal(doubles, sizeof(*doubles), true));
	assert_false(floats_denormal(floats, sizeof(floats), false));
	floats[3] = FLT_MIN / 2;
	assert_true(floats_denormal(floats, sizeof(floats), false));
}

static void registers_are_found_by_their_values(void **state)
{
	static _Alignas(16) uint8_t memory[4096];
	static uint8_t values[VECTORS][VECTOR_BYTES];
	const unsigned at = 16 * 11;

	(void)state;
	assert_int_equal(vectors_find(memory, sizeof(memory), values), 0);
	for (unsigned i = 0; i < VECTORS; i++) {
		memset(values[i], (int)i + 1, VECTOR_BYTES);
		memcpy(memory + at + i * VECTOR_STRIDE_BYTES, values[i], VECTOR_BYTES);
	}
	assert_int_equal(vectors_find(memory, sizeof(memory), values), at);
	assert_int_equal(vectors_find(memory, at + VECTORS * VECTOR_STRIDE_BYTES - 1, values), 0);
	memcpy(memory + 2048, memory + at, VECTORS * VECTOR_STRIDE_BYTES);
	assert_int_equal(vectors_find(memory, sizeof(memory), values), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operands_are_found),
	    cmocka_unit_test(denormal_numbers_are_known),
	    cmocka_unit_test(registers_are_found_by_their_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
