/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes instructions of 64-bit mode: opcode, ModRM, displacement, length. */
#include <linux/errno.h>
#include "arch/x86/decode/insn_parts.h"

/* The remaining bytes, and whether the operand-size prefix was seen. */
struct cursor {
	const uint8_t *bytes;
	size_t at, available;
	bool word;
};

/* Sets of opcodes, a bit each. */
typedef uint32_t opcodes[8];

#define ROW2(low, high) ((low) | (uint32_t)(high) << 16)

/* Opcodes with a ModRM byte, by rows of 16. */
static const opcodes with_modrm = {ROW2(0x0f0f, 0x0f0f), ROW2(0x0f0f, 0x0f0f), 0,
				   ROW2(0x0a08, 0),      ROW2(0xfffb, 0),      0,
				   ROW2(0x00c3, 0xff0f), ROW2(0, 0xc0c0)};
static const opcodes no_modrm_0f = {
    ROW2(0x5bf0, 0), ROW2(0, 0x00ff), 0, ROW2(0, 0x0080), ROW2(0xffff, 0),
    ROW2(0x0707, 0), ROW2(0xff00, 0), 0};
/* A byte follows; a word or doubleword. */
static const opcodes with_byte = {ROW2(0x1010, 0x1010), ROW2(0x1010, 0x1010), 0,
				  ROW2(0x0c00, 0xffff), ROW2(0x0009, 0),      ROW2(0x0100, 0x00ff),
				  ROW2(0x2043, 0),      ROW2(0x08ff, 0)};
static const opcodes with_long = {ROW2(0x2020, 0x2020), ROW2(0x2020, 0x2020), 0,
				  ROW2(0x0300, 0),      ROW2(0x0002, 0),      ROW2(0x0200, 0xff00),
				  ROW2(0x0080, 0),      ROW2(0x0300, 0)};
static const opcodes with_byte_0f = {
    0, 0, 0, ROW2(0, 0x000f), 0, ROW2(0x1010, 0x0400), ROW2(0x0074, 0), 0};
/* Opcodes that are invalid in 64-bit mode. */
static const opcodes invalid = {ROW2(0x40c0, 0xc0c0), ROW2(0x8080, 0x8080), 0,
				ROW2(0x0003, 0),      ROW2(0x0004, 0x0400), 0,
				ROW2(0x4000, 0x0070), ROW2(0x0400, 0)};

static bool has(const opcodes set, uint8_t opcode)
{
	return set[opcode / 32] >> opcode % 32 & 1;
}

static int next(struct cursor *c)
{
	return c->at < c->available ? c->bytes[c->at++] : -1;
}

static void take_prefixes(struct cursor *c, struct insn_parts *insn)
{
	for (; c->at < c->available; c->at++) {
		uint8_t byte = c->bytes[c->at];

		c->word |= byte == 0x66;
		insn->short_address |= byte == 0x67;
		if ((byte & 0xf0) == 0x40) {
			insn->rex = byte;
			c->at++;
			return;
		}
		if (byte != 0x66 && byte != 0x67 && byte != 0xf0 && byte != 0xf2 && byte != 0xf3 &&
		    byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 && byte != 0x64 &&
		    byte != 0x65)
			return;
	}
}

/* After C5, C4 or 62: which map, and the opcode. */
static int take_vector(struct cursor *c, struct insn_parts *insn, uint8_t first)
{
	int map = 1, opcode;

	insn->vector = true;
	if (first != 0xc5) {
		map = next(c);
		if (map < 0)
			return -EINVAL;
		map &= first == 0x62 ? 7 : 31;
	}
	c->at += first == 0x62 ? 2 : 1;
	opcode = next(c);
	if (opcode < 0 || map < 1 || map > 3)
		return -EINVAL;
	insn->map = (uint8_t)map;
	insn->opcode = (uint8_t)opcode;
	return 0;
}

static int take_opcode(struct cursor *c, struct insn_parts *insn)
{
	int byte = next(c);

	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62)
		return take_vector(c, insn, (uint8_t)byte);
	if (byte == 0x0f) {
		insn->map = INSN_MAP_0F;
		byte = next(c);
		if (byte == 0x38 || byte == 0x3a) {
			insn->map = byte == 0x38 ? INSN_MAP_0F38 : INSN_MAP_0F3A;
			byte = next(c);
		}
	}
	if (byte < 0 || (insn->map == INSN_MAP_ONE && has(invalid, (uint8_t)byte)))
		return -EINVAL;
	insn->opcode = (uint8_t)byte;
	return 0;
}

static bool takes_modrm(const struct insn_parts *insn)
{
	if (insn->map == INSN_MAP_ONE)
		return has(with_modrm, insn->opcode);
	return insn->map != INSN_MAP_0F || !has(no_modrm_0f, insn->opcode);
}

/* ModRM, SIB and displacement. */
static int take_modrm(struct cursor *c, struct insn_parts *insn)
{
	int modrm, sib = 0;
	unsigned mod, rm;

	insn->modrm = (uint8_t)c->at;
	modrm = next(c);
	if (modrm < 0)
		return -EINVAL;
	mod = (unsigned)modrm >> 6;
	rm = modrm & 7;
	if (mod == 3)
		return 0;
	if (rm == 4 && (sib = next(c)) < 0)
		return -EINVAL;
	if (mod == 0 && rm == 5)
		insn->relative = (uint8_t)c->at;
	if (mod == 1)
		c->at++;
	else if (mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5))
		c->at += 4;
	return 0;
}

static unsigned immediate_one(const struct cursor *c, const struct insn_parts *insn)
{
	unsigned operand = c->word && !(insn->rex & INSN_REX_W) ? 2 : 4;
	bool tests = insn->modrm && !(c->bytes[insn->modrm] & 0x30); /* F6, F7: /0 and /1 */

	if (insn->opcode >= 0xb8 && insn->opcode <= 0xbf && insn->rex & INSN_REX_W)
		return 8;
	if (insn->opcode >= 0xa0 && insn->opcode <= 0xa3)
		return insn->short_address ? 4 : 8;
	switch (insn->opcode) {
	case 0xc2:
	case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0xf6:
		return tests ? 1 : 0;
	case 0xf7:
		return tests ? operand : 0;
	case 0xe8:
	case 0xe9:
		return 4;
	}
	if (has(with_byte, insn->opcode))
		return 1;
	return has(with_long, insn->opcode) ? operand : 0;
}

static unsigned immediate(const struct cursor *c, const struct insn_parts *insn)
{
	switch (insn->map) {
	case INSN_MAP_ONE:
		return immediate_one(c, insn);
	case INSN_MAP_0F:
		if (!insn->vector && (insn->opcode & 0xf0) == 0x80)
			return 4;
		return insn->opcode == 0x0f || has(with_byte_0f, insn->opcode);
	default:
		return insn->map == INSN_MAP_0F3A;
	}
}

int insn_take_apart(struct insn_parts *insn, const uint8_t *bytes, size_t available)
{
	struct cursor c = {.bytes = bytes};

	c.available = available < INSN_BYTES_MAX ? available : INSN_BYTES_MAX;
	*insn = (struct insn_parts){0};
	take_prefixes(&c, insn);
	if (take_opcode(&c, insn))
		return -EINVAL;
	insn->at = (uint8_t)(c.at - 1);
	if (takes_modrm(insn) && take_modrm(&c, insn))
		return -EINVAL;
	c.at += immediate(&c, insn);
	if (c.at > c.available)
		return -EINVAL;
	insn->length = (uint8_t)c.at;
	return 0;
}
