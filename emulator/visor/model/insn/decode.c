/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes branches and the instructions that a hypervisor intercepts; everything else is
 * INSN_OTHER. Source: see decode.h. */
#include "emulator/visor/model/insn/cursor.h"
#include "emulator/visor/model/insn/decode.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum map { MAP_ONE, MAP_0F, MAP_0F01 };

/* The bytes after the opcode. */
enum tail {
	TAIL_NONE,
	TAIL_BYTE,
	TAIL_WORD,
	TAIL_RELATIVE, /* a word or a doubleword, by operand size */
	TAIL_FAR,      /* offset as TAIL_RELATIVE, then a selector */
};

struct opcode {
	uint8_t map; /* enum map */
	uint8_t first, last;
	uint8_t kind; /* enum insn_kind */
	uint8_t tail; /* enum tail */
	bool not_64;  /* invalid in 64-bit mode */
};

static const struct opcode opcodes[] = {
    {MAP_ONE, 0x70, 0x7f, INSN_JCC, TAIL_BYTE, false},
    {MAP_ONE, 0x90, 0x90, INSN_PAUSE, TAIL_NONE, false}, /* with F3 */
    {MAP_ONE, 0x9a, 0x9a, INSN_FAR, TAIL_FAR, true},     /* CALL */
    {MAP_ONE, 0xc2, 0xc2, INSN_RET, TAIL_WORD, false},
    {MAP_ONE, 0xc3, 0xc3, INSN_RET, TAIL_NONE, false},
    {MAP_ONE, 0xca, 0xca, INSN_FAR, TAIL_WORD, false}, /* RET */
    {MAP_ONE, 0xcb, 0xcb, INSN_FAR, TAIL_NONE, false}, /* RET */
    {MAP_ONE, 0xcc, 0xcc, INSN_FAR, TAIL_NONE, false}, /* INT3 */
    {MAP_ONE, 0xcd, 0xcd, INSN_FAR, TAIL_BYTE, false}, /* INT n */
    {MAP_ONE, 0xce, 0xce, INSN_FAR, TAIL_NONE, true},  /* INTO */
    {MAP_ONE, 0xcf, 0xcf, INSN_FAR, TAIL_NONE, false}, /* IRET */
    {MAP_ONE, 0xe0, 0xe3, INSN_JCC, TAIL_BYTE, false}, /* LOOPcc, JCXZ */
    {MAP_ONE, 0xe8, 0xe8, INSN_CALL, TAIL_RELATIVE, false},
    {MAP_ONE, 0xe9, 0xe9, INSN_JMP, TAIL_RELATIVE, false},
    {MAP_ONE, 0xea, 0xea, INSN_FAR, TAIL_FAR, true}, /* JMP */
    {MAP_ONE, 0xeb, 0xeb, INSN_JMP, TAIL_BYTE, false},
    {MAP_ONE, 0xf1, 0xf1, INSN_FAR, TAIL_NONE, false}, /* INT1 */
    {MAP_ONE, 0xf4, 0xf4, INSN_HLT, TAIL_NONE, false},
    {MAP_0F, 0x05, 0x05, INSN_SYSCALL, TAIL_NONE, false},
    {MAP_0F, 0x07, 0x07, INSN_SYSRET, TAIL_NONE, false},
    {MAP_0F, 0x30, 0x30, INSN_WRMSR, TAIL_NONE, false},
    {MAP_0F, 0x32, 0x32, INSN_RDMSR, TAIL_NONE, false},
    {MAP_0F, 0x33, 0x33, INSN_RDPMC, TAIL_NONE, false},
    {MAP_0F, 0x34, 0x34, INSN_SYSENTER, TAIL_NONE, false},
    {MAP_0F, 0x35, 0x35, INSN_SYSEXIT, TAIL_NONE, false},
    {MAP_0F, 0x80, 0x8f, INSN_JCC, TAIL_RELATIVE, false},
    {MAP_0F, 0xa2, 0xa2, INSN_CPUID, TAIL_NONE, false},
    {MAP_0F, 0xaa, 0xaa, INSN_FAR, TAIL_NONE, false}, /* RSM */
    {MAP_0F01, 0xd9, 0xd9, INSN_VMMCALL, TAIL_NONE, false},
};

static const struct insn other = {INSN_OTHER, 0};

/* Returns the size of an offset or displacement that depends on the operand size. */
static unsigned operand_bytes(const struct cursor *c)
{
	bool word = c->mode == DECODE_16 ? !c->operand : c->operand;

	return word && !(c->rex & REX_W) ? 2 : 4;
}

static unsigned tail_bytes(const struct cursor *c, enum tail tail)
{
	switch (tail) {
	case TAIL_BYTE:
		return 1;
	case TAIL_WORD:
		return 2;
	case TAIL_RELATIVE:
		return operand_bytes(c);
	case TAIL_FAR:
		return operand_bytes(c) + 2;
	default:
		return 0;
	}
}

/* Returns the instruction, if all its bytes are available: `more` of them follow the cursor. */
static struct insn finish(const struct cursor *c, enum insn_kind kind, unsigned more)
{
	unsigned length = c->at + more;

	return length <= c->available ? (struct insn){kind, (uint8_t)length} : other;
}

static struct insn find_opcode(const struct cursor *c, enum map map, uint8_t opcode)
{
	for (size_t i = 0; i < COUNT(opcodes); i++) {
		const struct opcode *o = &opcodes[i];

		if (o->map != map || opcode < o->first || opcode > o->last)
			continue;
		if (o->not_64 && c->mode == DECODE_64)
			return other;
		if (o->kind == INSN_PAUSE && (!c->rep || (c->rex & REX_B)))
			return other;
		return finish(c, o->kind, tail_bytes(c, o->tail));
	}
	return other;
}

/* Returns the bytes of SIB and displacement after a ModRM byte at the cursor; more than are
 * available if the SIB byte is missing. Intel SDM vol. 2, 2.1.5: addressing forms. */
static unsigned modrm_tail(const struct cursor *c)
{
	uint8_t modrm = c->bytes[c->at], mod = modrm >> 6, rm = modrm & 7;
	bool word = c->mode == DECODE_32 ? c->address : c->mode == DECODE_16 && !c->address;
	unsigned sib;

	if (mod == 3)
		return 0;
	if (word)
		return mod == 0 ? (rm == 6 ? 2 : 0) : mod;
	sib = rm == 4;
	if (mod == 0 && sib && c->at + 1 < c->available)
		rm = c->bytes[c->at + 1] & 7;
	if (mod == 0)
		return sib + (rm == 5 ? 4 : 0);
	return sib + (mod == 1 ? 1 : 4);
}

/* FF: CALL and JMP through a register or memory. */
static struct insn decode_group5(struct cursor *c)
{
	static const uint8_t kinds[8] = {
	    [2] = INSN_CALL_INDIRECT, [3] = INSN_FAR, [4] = INSN_JMP_INDIRECT, [5] = INSN_FAR};
	enum insn_kind kind;

	if (c->at >= c->available)
		return other;
	kind = kinds[c->bytes[c->at] >> 3 & 7];
	if (kind == INSN_OTHER || (kind == INSN_FAR && c->bytes[c->at] >> 6 == 3))
		return other;
	return finish(c, kind, 1 + modrm_tail(c));
}

struct insn decode(const uint8_t *bytes, unsigned available, enum decode_mode mode)
{
	struct cursor c = {.bytes = bytes, .mode = mode};
	enum map map = MAP_ONE;
	uint8_t opcode;

	c.available = available < DECODE_MAX ? available : DECODE_MAX;
	cursor_take_prefixes(&c);
	if (c.at >= c.available || c.lock) /* with LOCK they all raise #UD */
		return other;
	opcode = c.bytes[c.at++];
	if (opcode == 0xff)
		return decode_group5(&c);
	if (opcode == 0x0f) {
		map = MAP_0F;
		if (c.at >= c.available)
			return other;
		opcode = c.bytes[c.at++];
	}
	if (map == MAP_0F && opcode == 0x01) {
		map = MAP_0F01;
		if (c.at >= c.available)
			return other;
		opcode = c.bytes[c.at++];
	}
	return find_opcode(&c, map, opcode);
}
