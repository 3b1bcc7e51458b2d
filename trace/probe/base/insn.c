/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes instructions as far as executing them out of line requires: their length and their
 * RIP-relative parts. 64-bit mode only. */
#include "trace/probe/base/insn.h"
#include <linux/errno.h>
#include <stdbool.h>
#include "kernel/base/string.h"

#define ENOTSUPP 524 /* of Linux, beyond its errno.h */

enum { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

#define REX_W 0x8

/* The remaining bytes, and the prefixes before the opcode. */
struct cursor {
	const uint8_t *bytes;
	size_t at, available;
	bool word, short_address, vector; /* 66, 67, VEX or EVEX */
	uint8_t rex;
	uint8_t map, opcode;
};

/* Sets of opcodes, one bit each. */
typedef uint32_t opcodes[8];

#define ROW2(low, high) ((low) | (uint32_t)(high) << 16)

/* Opcodes with a ModRM byte, by rows of 16. */
static const opcodes with_modrm = {ROW2(0x0f0f, 0x0f0f), ROW2(0x0f0f, 0x0f0f), 0,
				   ROW2(0x0a08, 0),      ROW2(0xfffb, 0),      0,
				   ROW2(0x00c3, 0xff0f), ROW2(0, 0xc0c0)};
static const opcodes no_modrm_0f = {
    ROW2(0x5bf0, 0), ROW2(0, 0x00ff), 0, ROW2(0, 0x0080), ROW2(0xffff, 0),
    ROW2(0x0707, 0), ROW2(0xff00, 0), 0};
/* With an immediate of one byte; of a word or doubleword. */
static const opcodes with_byte = {ROW2(0x1010, 0x1010), ROW2(0x1010, 0x1010), 0,
				  ROW2(0x0c00, 0xffff), ROW2(0x0009, 0),      ROW2(0x0100, 0x00ff),
				  ROW2(0x0043, 0),      ROW2(0x08ff, 0)};
static const opcodes with_long = {ROW2(0x2020, 0x2020), ROW2(0x2020, 0x2020), 0,
				  ROW2(0x0300, 0),      ROW2(0x0002, 0),      ROW2(0x0200, 0xff00),
				  ROW2(0x0080, 0),      ROW2(0x0300, 0)};
static const opcodes with_byte_0f = {
    0, 0, 0, ROW2(0, 0x000f), 0, ROW2(0x1010, 0x0400), ROW2(0x0074, 0), 0};
/* Opcodes that are invalid in 64-bit mode, that trap, or that leave the segment. */
static const opcodes not_these = {ROW2(0x40c0, 0xc0c0), ROW2(0x8080, 0x8080), 0,
				  ROW2(0x0003, 0),      ROW2(0x0004, 0x0400), 0,
				  ROW2(0xfc00, 0x0070), ROW2(0x0400, 0x0002)};

static bool has(const opcodes set, uint8_t opcode)
{
	return set[opcode / 32] >> opcode % 32 & 1;
}

static int next(struct cursor *c)
{
	return c->at < c->available ? c->bytes[c->at++] : -1;
}

static void take_prefixes(struct cursor *c)
{
	for (; c->at < c->available; c->at++) {
		uint8_t byte = c->bytes[c->at];

		c->word |= byte == 0x66;
		c->short_address |= byte == 0x67;
		if ((byte & 0xf0) == 0x40) {
			c->rex = byte;
			c->at++;
			return;
		}
		if (byte != 0x66 && byte != 0x67 && byte != 0xf0 && byte != 0xf2 && byte != 0xf3 &&
		    byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 && byte != 0x64 &&
		    byte != 0x65)
			return;
	}
}

/* Parses the bytes after C5, C4 or 62: the map, and the opcode. */
static int take_vector(struct cursor *c, uint8_t first)
{
	int map = 1, opcode;

	c->vector = true;
	if (first != 0xc5) {
		map = next(c);
		if (map < 0)
			return -ENOTSUPP;
		map &= first == 0x62 ? 7 : 31;
	}
	c->at += first == 0x62 ? 2 : 1;
	opcode = next(c);
	if (opcode < 0 || map < 1 || map > 3)
		return -ENOTSUPP;
	c->map = (uint8_t)map;
	c->opcode = (uint8_t)opcode;
	return 0;
}

static int take_opcode(struct cursor *c)
{
	int byte = next(c);

	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62)
		return take_vector(c, (uint8_t)byte);
	if (byte == 0x0f) {
		c->map = MAP_0F;
		byte = next(c);
		if (byte == 0x38 || byte == 0x3a) {
			c->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
			byte = next(c);
		}
	}
	if (byte < 0 || (c->map == MAP_ONE && has(not_these, (uint8_t)byte)))
		return -ENOTSUPP;
	c->opcode = (uint8_t)byte;
	return 0;
}

static bool takes_modrm(const struct cursor *c)
{
	if (c->map == MAP_ONE)
		return has(with_modrm, c->opcode);
	return c->map != MAP_0F || !has(no_modrm_0f, c->opcode);
}

/* Parses ModRM, SIB and displacement. */
static int take_modrm(struct cursor *c, struct probe_insn *insn)
{
	int modrm, sib = 0;
	unsigned mod, rm;

	insn->modrm = (uint8_t)c->at;
	modrm = next(c);
	if (modrm < 0)
		return -ENOTSUPP;
	mod = (unsigned)modrm >> 6;
	rm = modrm & 7;
	if (mod == 3)
		return 0;
	if (rm == 4 && (sib = next(c)) < 0)
		return -ENOTSUPP;
	if (mod == 0 && rm == 5)
		insn->relative = (uint8_t)c->at;
	if (mod == 1)
		c->at++;
	else if (mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5))
		c->at += 4;
	return 0;
}

static unsigned immediate_one(const struct cursor *c, const struct probe_insn *insn)
{
	unsigned operand = c->word && !(c->rex & REX_W) ? 2 : 4;
	bool tests = insn->modrm && !(c->bytes[insn->modrm] & 0x30); /* F6, F7: /0 and /1 */

	if (c->opcode >= 0xb8 && c->opcode <= 0xbf && c->rex & REX_W)
		return 8;
	if (c->opcode >= 0xa0 && c->opcode <= 0xa3)
		return c->short_address ? 4 : 8;
	switch (c->opcode) {
	case 0xc2:
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
	if (has(with_byte, c->opcode))
		return 1;
	return has(with_long, c->opcode) ? operand : 0;
}

static unsigned immediate(const struct cursor *c, const struct probe_insn *insn)
{
	switch (c->map) {
	case MAP_ONE:
		return immediate_one(c, insn);
	case MAP_0F:
		if (!c->vector && (c->opcode & 0xf0) == 0x80)
			return 4;
		return c->opcode == 0x0f || has(with_byte_0f, c->opcode);
	default:
		return c->map == MAP_0F3A;
	}
}

/* True if the operand is addressed through RSP, or is RSP. */
static bool through_stack(const struct cursor *c, const struct probe_insn *insn)
{
	uint8_t modrm = c->bytes[insn->modrm];

	return (modrm & 7) == 4 && !(c->rex & 1) &&
	       (modrm >> 6 == 3 || (c->bytes[insn->modrm + 1] & 7) == 4);
}

/* True if a one-byte displacement can be increased by the size of a push. */
static bool room_for_push(const struct cursor *c)
{
	return (int8_t)c->bytes[c->at - 1] <= 127 - 8;
}

/* FF. When the call's target is read, the return address has already been pushed. */
static int classify_group5(const struct cursor *c, struct probe_insn *insn)
{
	uint8_t modrm = c->bytes[insn->modrm];
	unsigned which = modrm >> 3 & 7;

	if (which == 3 || which == 5 || which == 7)
		return -ENOTSUPP; /* far */
	if (which != 2)
		return 0;
	if (through_stack(c, insn) && !(modrm >> 6 == 2 || (modrm >> 6 == 1 && room_for_push(c))))
		return -ENOTSUPP;
	insn->kind = PROBE_CALL_INDIRECT;
	insn->by_stack = through_stack(c, insn);
	return 0;
}

static int classify(const struct cursor *c, struct probe_insn *insn)
{
	const uint8_t *end = c->bytes + c->at;
	bool near = true;

	if (c->vector)
		return 0;
	if (c->map == MAP_ONE && c->opcode == 0xff)
		return classify_group5(c, insn);
	if (c->map == MAP_ONE && c->opcode == 0xc7 && c->bytes[insn->modrm] == 0xf8)
		return -ENOTSUPP; /* XBEGIN */
	if (c->map == MAP_ONE && c->opcode >= 0x70 && c->opcode <= 0x7f)
		insn->kind = PROBE_CONDITIONAL;
	else if (c->map == MAP_ONE && c->opcode >= 0xe0 && c->opcode <= 0xe3)
		insn->kind = PROBE_LOOP;
	else if (c->map == MAP_ONE && c->opcode == 0xeb)
		insn->kind = PROBE_JUMP;
	else
		near = false;
	if (near) {
		insn->target = (int8_t)end[-1];
		return 0;
	}
	if (c->map == MAP_0F && (c->opcode & 0xf0) == 0x80)
		insn->kind = PROBE_CONDITIONAL;
	else if (c->map == MAP_ONE && c->opcode == 0xe9)
		insn->kind = PROBE_JUMP;
	else if (c->map == MAP_ONE && c->opcode == 0xe8)
		insn->kind = PROBE_CALL;
	else
		return 0;
	memcpy(&insn->target, end - 4, sizeof(insn->target));
	return 0;
}

int probe_insn_decode(struct probe_insn *insn, const uint8_t *bytes, size_t available)
{
	struct cursor c = {.bytes = bytes};

	c.available = available < PROBE_INSN_MOST ? available : PROBE_INSN_MOST;
	*insn = (struct probe_insn){.kind = PROBE_PLAIN};
	take_prefixes(&c);
	if (take_opcode(&c))
		return -ENOTSUPP;
	insn->opcode = (uint8_t)(c.at - 1);
	if (takes_modrm(&c) && take_modrm(&c, insn))
		return -ENOTSUPP;
	c.at += immediate(&c, insn);
	if (c.at > c.available || (insn->relative && c.short_address))
		return -ENOTSUPP;
	insn->length = (uint8_t)c.at;
	memcpy(insn->bytes, bytes, c.at);
	return classify(&c, insn);
}

/* ---- elsewhere ---- */

/* The output. */
struct writer {
	uint8_t *code;
	unsigned at;
	uint64_t slot;
	bool far;
};

static void put(struct writer *w, const void *bytes, unsigned length)
{
	memcpy(w->code + w->at, bytes, length);
	w->at += length;
}

static void put_byte(struct writer *w, uint8_t byte)
{
	put(w, &byte, 1);
}

/* Writes the displacement from the end of these four bytes to the address. */
static void put_distance(struct writer *w, uint64_t to, unsigned more)
{
	int64_t distance = (int64_t)(to - (w->slot + w->at + 4 + more));
	int32_t bytes = (int32_t)distance;

	w->far |= distance != bytes;
	put(w, &bytes, sizeof(bytes));
}

static void put_jump(struct writer *w, uint64_t to)
{
	put_byte(w, 0xe9);
	put_distance(w, to, 0);
}

/* Writes the instruction with its RIP-relative displacement adjusted. */
static void put_insn(struct writer *w, const struct probe_insn *insn, uint64_t at)
{
	int32_t distance;
	unsigned after = insn->length - insn->relative - 4u;

	if (!insn->relative) {
		put(w, insn->bytes, insn->length);
		return;
	}
	memcpy(&distance, insn->bytes + insn->relative, sizeof(distance));
	put(w, insn->bytes, insn->relative);
	put_distance(w, at + insn->length + (uint64_t)(int64_t)distance, after);
	put(w, insn->bytes + insn->relative + 4, after);
}

/* Writes PUSH of the quadword `skip` bytes after it: the return address. */
static void put_push(struct writer *w, uint32_t skip)
{
	put(w, "\xff\x35", 2);
	put(w, &skip, sizeof(skip));
}

/* Adjusts the displacement because RSP is lower by the pushed return address. */
static void move_displacement(struct probe_insn *jump)
{
	uint8_t *at = jump->bytes + jump->modrm + 2;
	int32_t distance;

	if (jump->bytes[jump->modrm] >> 6 == 1) {
		*at = (uint8_t)(*at + 8);
		return;
	}
	memcpy(&distance, at, sizeof(distance));
	distance += 8;
	memcpy(at, &distance, sizeof(distance));
}

static void put_call(struct writer *w, const struct probe_insn *insn, uint64_t at)
{
	struct probe_insn jump = *insn;
	uint64_t back = at + insn->length;

	if (insn->kind == PROBE_CALL) {
		put_push(w, 5);
		put_jump(w, back + (uint64_t)(int64_t)insn->target);
	} else {
		put_push(w, insn->length);
		jump.bytes[insn->modrm] ^= 0x30; /* CALL /2, JMP /4 */
		if (insn->by_stack)
			move_displacement(&jump);
		put_insn(w, &jump, at);
	}
	put(w, &back, sizeof(back));
}

static void put_conditional(struct writer *w, const struct probe_insn *insn, uint64_t at)
{
	put_byte(w, 0x0f);
	put_byte(w, 0x80 | (insn->bytes[insn->opcode] & 0xf));
	put_distance(w, at + insn->length + (uint64_t)(int64_t)insn->target, 0);
}

int probe_insn_place(const struct probe_insn *insn, uint64_t at, uint64_t slot,
		     uint8_t code[PROBE_SLOT_BYTES])
{
	struct writer w = {.code = code, .slot = slot};
	uint64_t back = at + insn->length, target = back + (uint64_t)(int64_t)insn->target;

	memset(code, PROBE_INT3, PROBE_SLOT_BYTES);
	switch (insn->kind) {
	case PROBE_JUMP:
		put_jump(&w, target);
		break;
	case PROBE_CONDITIONAL:
		put_conditional(&w, insn, at);
		put_jump(&w, back);
		break;
	case PROBE_LOOP:
		put(&w, insn->bytes, insn->length - 1u);
		put_byte(&w, 5);
		put_jump(&w, back);
		put_jump(&w, target);
		break;
	case PROBE_CALL:
	case PROBE_CALL_INDIRECT:
		put_call(&w, insn, at);
		break;
	default:
		put_insn(&w, insn, at);
		put_jump(&w, back);
	}
	return w.far ? -ERANGE : 0;
}

/* One of several. */
static int put_next(struct writer *w, const struct probe_insn *insn, uint64_t at)
{
	if (insn->kind == PROBE_PLAIN) {
		put_insn(w, insn, at);
		return 0;
	}
	if (insn->kind != PROBE_CONDITIONAL)
		return -ENOTSUPP;
	put_conditional(w, insn, at);
	return 0;
}

int probe_insns_place(const uint8_t *bytes, uint64_t at, uint64_t slot, unsigned least,
		      uint8_t code[PROBE_SLOT_BYTES])
{
	struct writer w = {.code = code, .slot = slot};
	struct probe_insn insn;
	unsigned done = 0;
	int err = 0;

	memset(code, PROBE_INT3, PROBE_SLOT_BYTES);
	for (; !err && done < least; done += insn.length) {
		err = probe_insn_decode(&insn, bytes + done, PROBE_SLOT_BYTES - done);
		if (!err)
			err = put_next(&w, &insn, at + done);
	}
	if (!err)
		put_jump(&w, at + done);
	if (!err && w.far)
		err = -ERANGE;
	return err ? err : (int)done;
}
