/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes PTWRITE (F3 0F AE /4), which QEMU does not have. Intel SDM vol. 2. */
#include "emulator/visor/model/insn/cursor.h"
#include "emulator/visor/model/insn/ptwrite.h"

#define OPCODE_ESCAPE  0x0f
#define OPCODE_GROUP15 0xae
#define EXTENSION      4 /* of the opcode, in ModRM */
#define MOD_REGISTER   3
#define RM_SIB         4
#define NO_INDEX       4
#define NO_BASE        5 /* without a displacement of another size */

static unsigned left(const struct cursor *c)
{
	return c->available - c->at;
}

static uint8_t extended(unsigned field, bool bit)
{
	return (uint8_t)((field & 7) | (bit ? 8 : 0));
}

static bool take_displacement(struct cursor *c, unsigned bytes, struct ptwrite *p)
{
	uint32_t value = 0;

	if (left(c) < bytes)
		return false;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)c->bytes[c->at++] << 8 * i;
	p->displacement = bytes == 1 ? (int8_t)value : (int32_t)value;
	return true;
}

static bool take_sib(struct cursor *c, struct ptwrite *p)
{
	uint8_t sib;

	if (!left(c))
		return false;
	sib = c->bytes[c->at++];
	p->scale = sib >> 6;
	p->index = extended(sib >> 3, c->rex & REX_X);
	if (p->index == NO_INDEX)
		p->index = PTWRITE_NONE;
	p->base = extended(sib, c->rex & REX_B);
	return true;
}

static bool take_memory(struct cursor *c, unsigned mod, unsigned rm, struct ptwrite *p)
{
	p->kind = PTWRITE_MEMORY;
	p->base = extended(rm, c->rex & REX_B);
	if (rm == RM_SIB && !take_sib(c, p))
		return false;
	if (mod)
		return take_displacement(c, mod == 1 ? 1 : 4, p);
	if ((p->base & 7) != NO_BASE)
		return true;
	p->base = PTWRITE_NONE;
	if (rm == NO_BASE && c->mode == DECODE_64)
		p->kind = PTWRITE_RELATIVE;
	return take_displacement(c, 4, p);
}

static bool take_operand(struct cursor *c, struct ptwrite *p)
{
	uint8_t modrm = c->bytes[c->at++];

	if ((modrm >> 3 & 7) != EXTENSION)
		return false;
	if (modrm >> 6 != MOD_REGISTER)
		return take_memory(c, modrm >> 6, modrm & 7, p);
	p->kind = PTWRITE_REGISTER;
	p->base = extended(modrm, c->rex & REX_B);
	return true;
}

bool ptwrite_decode(const uint8_t *bytes, unsigned available, enum decode_mode mode,
		    struct ptwrite *ptwrite)
{
	struct cursor c = {.bytes = bytes, .mode = mode};

	c.available = available < DECODE_MAX ? available : DECODE_MAX;
	cursor_take_prefixes(&c);
	if (!c.rep || c.operand || c.lock || mode == DECODE_16 || (mode == DECODE_32 && c.address))
		return false;
	if (left(&c) < 3 || c.bytes[c.at++] != OPCODE_ESCAPE || c.bytes[c.at++] != OPCODE_GROUP15)
		return false;
	*ptwrite = (struct ptwrite){.bytes = c.rex & REX_W ? 8 : 4,
				    .index = PTWRITE_NONE,
				    .segment = c.segment,
				    .narrow = mode == DECODE_32 || c.address};
	if (!take_operand(&c, ptwrite))
		return false;
	ptwrite->length = (uint8_t)c.at;
	return true;
}

uint64_t ptwrite_offset(const struct ptwrite *ptwrite, const uint64_t registers[16], uint64_t next)
{
	uint64_t offset = (uint64_t)ptwrite->displacement;

	if (ptwrite->kind == PTWRITE_RELATIVE)
		offset += next;
	if (ptwrite->base != PTWRITE_NONE)
		offset += registers[ptwrite->base];
	if (ptwrite->index != PTWRITE_NONE)
		offset += registers[ptwrite->index] << ptwrite->scale;
	return ptwrite->narrow ? (uint32_t)offset : offset;
}
