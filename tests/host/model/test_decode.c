/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder against Zydis, an independent one, on every opcode with prefixes and on random bytes,
 * in three modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>
#include <cmocka.h>

#include "emulator/visor/model/insn/decode.h"

static ZydisDecoder decoders[3];

static int set_up(void **state)
{
	static const ZydisMachineMode modes[3] = {
	    ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_MACHINE_MODE_LONG_64};
	static const ZydisStackWidth widths[3] = {ZYDIS_STACK_WIDTH_16, ZYDIS_STACK_WIDTH_32,
						  ZYDIS_STACK_WIDTH_64};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoders[i], modes[i], widths[i])) ||
		    !ZYAN_SUCCESS(ZydisDecoderEnableMode(
			&decoders[i], ZYDIS_DECODER_MODE_AMD_BRANCHES, ZYAN_TRUE)))
			return -1;
	return 0;
}

/* A near branch is relative or, by opcode FF, indirect; a far one is a class of its own. */
static enum insn_kind near_or_far(const ZydisDecodedInstruction *z, enum insn_kind relative,
				  enum insn_kind indirect)
{
	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return INSN_FAR;
	return z->opcode == 0xff ? indirect : relative;
}

static enum insn_kind expected_kind(const ZydisDecodedInstruction *z)
{
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return INSN_OTHER; /* JKZD and JKNZD of Knights Corner */
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
		return near_or_far(z, INSN_JMP, INSN_JMP_INDIRECT);
	case ZYDIS_MNEMONIC_CALL:
		return near_or_far(z, INSN_CALL, INSN_CALL_INDIRECT);
	case ZYDIS_MNEMONIC_RET:
		return near_or_far(z, INSN_RET, INSN_RET);
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INTO:
	case ZYDIS_MNEMONIC_RSM:
		return INSN_FAR;
	case ZYDIS_MNEMONIC_SYSCALL:
		return INSN_SYSCALL;
	case ZYDIS_MNEMONIC_SYSRET:
		return INSN_SYSRET;
	case ZYDIS_MNEMONIC_SYSENTER:
		return INSN_SYSENTER;
	case ZYDIS_MNEMONIC_SYSEXIT:
		return INSN_SYSEXIT;
	case ZYDIS_MNEMONIC_CPUID:
		return INSN_CPUID;
	case ZYDIS_MNEMONIC_RDMSR:
		return INSN_RDMSR;
	case ZYDIS_MNEMONIC_WRMSR:
		return INSN_WRMSR;
	case ZYDIS_MNEMONIC_RDPMC:
		return INSN_RDPMC;
	case ZYDIS_MNEMONIC_HLT:
		return INSN_HLT;
	case ZYDIS_MNEMONIC_VMMCALL:
		return INSN_VMMCALL;
	case ZYDIS_MNEMONIC_PAUSE: /* with REX.B it is XCHG R8 (QEMU; Zydis does not distinguish
				      them) */
		return z->raw.rex.B ? INSN_OTHER : INSN_PAUSE;
	case ZYDIS_MNEMONIC_XBEGIN: /* of Zydis's conditional branches, but no branch
				     * instructions */
	case ZYDIS_MNEMONIC_XEND:
		return INSN_OTHER;
	default:
		return z->meta.category == ZYDIS_CATEGORY_COND_BR ? INSN_JCC : INSN_OTHER;
	}
}

static void show(const char *what, const uint8_t bytes[16], unsigned mode, struct insn ours,
		 unsigned kind, unsigned length)
{
	char text[64] = "";

	for (unsigned i = 0; i < 16; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	fail_msg("%s: mode %u, %s: kind %u length %u, expected kind %u length %u", what, mode, text,
		 ours.kind, ours.length, kind, length);
}

static unsigned found; /* instructions that were not INSN_OTHER */

static void check(const uint8_t bytes[16])
{
	for (unsigned mode = 0; mode < 3; mode++) {
		struct insn ours = decode(bytes, 16, mode);
		ZydisDecodedInstruction z;
		enum insn_kind kind = INSN_OTHER;

		if (ZYAN_SUCCESS(
			ZydisDecoderDecodeInstruction(&decoders[mode], NULL, bytes, 15, &z)))
			kind = expected_kind(&z);
		if (ours.kind != kind || ours.length != (kind == INSN_OTHER ? 0 : z.length))
			show("all bytes", bytes, mode, ours, kind,
			     kind == INSN_OTHER ? 0 : z.length);
		if (kind == INSN_OTHER)
			continue;
		found++;
		ours = decode(bytes, z.length, mode);
		if (ours.kind != kind || ours.length != z.length)
			show("just enough", bytes, mode, ours, kind, z.length);
		ours = decode(bytes, z.length - 1, mode);
		if (ours.kind != INSN_OTHER || ours.length)
			show("one too few", bytes, mode, ours, INSN_OTHER, 0);
	}
}

static uint64_t seed;

static uint64_t random64(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 0x2545f4914f6cdd1dull;
}

static void random_bytes(uint8_t bytes[16])
{
	uint64_t words[2] = {random64(), random64()};

	memcpy(bytes, words, 16);
}

static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67,
				   0xf0, 0xf2, 0xf3, 0x40, 0x41, 0x44, 0x48, 0x4f};

/* Every opcode of the first two maps, and of 0F 01, with every next byte, after no, one and two
 * prefixes. */
static void test_every_opcode(void **state)
{
	static const uint8_t heads[3][2] = {{0}, {0x0f}, {0x0f, 0x01}};
	const unsigned count = sizeof(prefixes);

	(void)state;
	seed = 1;
	found = 0;
	for (unsigned variant = 0; variant < 1 + count + count * count; variant++)
		for (unsigned map = 0; map < 3; map++)
			for (unsigned opcode = 0;
			     opcode<0x10000; opcode += variant> count ? 37 : 1) {
				uint8_t bytes[16];
				unsigned n = 0;

				random_bytes(bytes);
				if (variant > count)
					bytes[n++] = prefixes[(variant - 1 - count) / count];
				if (variant)
					bytes[n++] = prefixes[(variant - 1) % count];
				memcpy(bytes + n, heads[map], map);
				n += map;
				bytes[n++] = opcode >> 8;
				bytes[n] = opcode;
				check(bytes);
			}
	assert_true(found > 100000);
}

/* Random bytes after any number of random prefixes, up to too many. */
static void test_random(void **state)
{
	(void)state;
	seed = 2;
	found = 0;
	for (unsigned round = 0; round < 1000000; round++) {
		uint8_t bytes[16];
		unsigned count = random64() % 4 ? random64() % 3 : random64() % 16;

		random_bytes(bytes);
		for (unsigned i = 0; i < count; i++)
			bytes[i] = prefixes[random64() % sizeof(prefixes)];
		check(bytes);
	}
	assert_true(found > 100000);
}

/* Which kinds are branches, and which may fall through. */
static void test_classes(void **state)
{
	static const struct {
		uint8_t bytes[4];
		bool branch, conditional;
	} rows[] = {
	    {{0x74, 0x10}, true, true},   {{0xe2, 0xfe}, true, true},
	    {{0xe3, 0x00}, true, true},   {{0xeb, 0xfe}, true, false},
	    {{0xff, 0xd0}, true, false},  {{0xc3}, true, false},
	    {{0x0f, 0x05}, true, false},  {{0x48, 0x0f, 0x07}, true, false},
	    {{0x48, 0xcf}, true, false},  {{0xcc}, true, false},
	    {{0x0f, 0xa2}, false, false}, {{0xf4}, false, false},
	    {{0x90}, false, false},       {{0xf3, 0x90}, false, false},
	    {{0x0f, 0x0b}, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct insn insn = decode(rows[i].bytes, 4, DECODE_64);

		assert_int_equal(insn_is_branch(insn), rows[i].branch);
		assert_int_equal(insn_is_conditional(insn), rows[i].conditional);
	}
}

static void test_nothing_to_read(void **state)
{
	uint8_t only_prefixes[15];

	(void)state;
	assert_int_equal(decode(NULL, 0, DECODE_64).kind, INSN_OTHER);
	memset(only_prefixes, 0x66, sizeof(only_prefixes));
	assert_int_equal(decode(only_prefixes, 15, DECODE_64).kind, INSN_OTHER);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_opcode),
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_classes),
    cmocka_unit_test(test_nothing_to_read),
};

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decode", tests, set_up, NULL);
}
