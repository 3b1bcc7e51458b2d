/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes instructions as far as executing them out of line requires: their RIP-relative parts.
 * 64-bit mode only. */
#include <linux/errno.h>
#include <stdbool.h>
#include "arch/x86/decode/insn_parts.h"
#include "kernel/base/string.h"
#include "trace/probe/base/insn.h"

#define ENOTSUPP 524 /* of Linux, beyond its errno.h */

/* An instruction and its bytes. */
struct cursor {
	const uint8_t *bytes;
	struct insn_parts parts;
};

/* True if the operand is addressed through RSP, or is RSP. */
static bool through_stack(const struct cursor *c, const struct probe_insn *insn)
{
	uint8_t modrm = c->bytes[insn->modrm];

	return (modrm & 7) == 4 && !(c->parts.rex & 1) &&
	       (modrm >> 6 == 3 || (c->bytes[insn->modrm + 1] & 7) == 4);
}

/* True if a one-byte displacement can be increased by the size of a push. */
static bool room_for_push(const struct cursor *c)
{
	return (int8_t)c->bytes[c->parts.length - 1] <= 127 - 8;
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
	const uint8_t *end = c->bytes + c->parts.length;
	bool near = true;

	if (c->parts.vector)
		return 0;
	if (c->parts.map == INSN_MAP_ONE && c->parts.opcode == 0xff)
		return classify_group5(c, insn);
	if (c->parts.map == INSN_MAP_ONE && c->parts.opcode == 0xc7 &&
	    c->bytes[insn->modrm] == 0xf8)
		return -ENOTSUPP; /* XBEGIN */
	if (c->parts.map == INSN_MAP_ONE && c->parts.opcode >= 0x70 && c->parts.opcode <= 0x7f)
		insn->kind = PROBE_CONDITIONAL;
	else if (c->parts.map == INSN_MAP_ONE && c->parts.opcode >= 0xe0 && c->parts.opcode <= 0xe3)
		insn->kind = PROBE_LOOP;
	else if (c->parts.map == INSN_MAP_ONE && c->parts.opcode == 0xeb)
		insn->kind = PROBE_JUMP;
	else
		near = false;
	if (near) {
		insn->target = (int8_t)end[-1];
		return 0;
	}
	if (c->parts.map == INSN_MAP_0F && (c->parts.opcode & 0xf0) == 0x80)
		insn->kind = PROBE_CONDITIONAL;
	else if (c->parts.map == INSN_MAP_ONE && c->parts.opcode == 0xe9)
		insn->kind = PROBE_JUMP;
	else if (c->parts.map == INSN_MAP_ONE && c->parts.opcode == 0xe8)
		insn->kind = PROBE_CALL;
	else
		return 0;
	memcpy(&insn->target, end - 4, sizeof(insn->target));
	return 0;
}

/* True for instructions that trap, or that leave the segment. */
static bool is_far(const struct insn_parts *parts)
{
	if (parts->map != INSN_MAP_ONE || parts->vector)
		return false;
	return (parts->opcode >= 0xca && parts->opcode <= 0xcf) || parts->opcode == 0xf1;
}

int probe_insn_decode(struct probe_insn *insn, const uint8_t *bytes, size_t available)
{
	struct cursor c = {.bytes = bytes};

	*insn = (struct probe_insn){.kind = PROBE_PLAIN};
	if (insn_take_apart(&c.parts, bytes, available) || is_far(&c.parts) ||
	    (c.parts.relative && c.parts.short_address))
		return -ENOTSUPP;
	insn->opcode = c.parts.at;
	insn->modrm = c.parts.modrm;
	insn->relative = c.parts.relative;
	insn->length = c.parts.length;
	memcpy(insn->bytes, bytes, insn->length);
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

static void insn_put(struct writer *w, const void *bytes, unsigned length)
{
	memcpy(w->code + w->at, bytes, length);
	w->at += length;
}

static void put_byte(struct writer *w, uint8_t byte)
{
	insn_put(w, &byte, 1);
}

/* Writes the displacement from the end of these four bytes to the address. */
static void put_distance(struct writer *w, uint64_t to, unsigned more)
{
	int64_t distance = (int64_t)(to - (w->slot + w->at + 4 + more));
	int32_t bytes = (int32_t)distance;

	w->far |= distance != bytes;
	insn_put(w, &bytes, sizeof(bytes));
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
		insn_put(w, insn->bytes, insn->length);
		return;
	}
	memcpy(&distance, insn->bytes + insn->relative, sizeof(distance));
	insn_put(w, insn->bytes, insn->relative);
	put_distance(w, at + insn->length + (uint64_t)(int64_t)distance, after);
	insn_put(w, insn->bytes + insn->relative + 4, after);
}

/* Writes PUSH of the quadword `skip` bytes after it: the return address. */
static void put_push(struct writer *w, uint32_t skip)
{
	insn_put(w, "\xff\x35", 2);
	insn_put(w, &skip, sizeof(skip));
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
	insn_put(w, &back, sizeof(back));
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
		insn_put(&w, insn->bytes, insn->length - 1u);
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
