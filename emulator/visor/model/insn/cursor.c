/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads prefixes. Intel SDM vol. 2, "Instruction Prefixes". */
#include "emulator/visor/model/insn/cursor.h"

/* Takes the prefix at the cursor, if there is one. A REX before another prefix has no effect. */
static bool take_prefix(struct cursor *c)
{
	uint8_t byte = c->bytes[c->at];
	uint8_t rex = 0;

	switch (byte) {
	case 0x66: /* the other operand size */
		c->operand = true;
		break;
	case 0x67: /* the other address size */
		c->address = true;
		break;
	case 0xf0: /* LOCK */
		c->lock = true;
		break;
	case 0xf3: /* REP */
		c->rep = true;
		break;
	case 0xf2:              /* REPNE */
		c->rep = false; /* of F2 and F3 the last one counts */
		break;
	case 0x26: /* ES, CS, SS, DS, FS, GS */
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
		c->segment = byte;
		break;
	default:
		if (c->mode != DECODE_64 || (byte & 0xf0) != REX)
			return false;
		rex = byte;
	}
	c->rex = rex;
	c->at++;
	return true;
}

void cursor_take_prefixes(struct cursor *c)
{
	while (c->at < c->available && take_prefix(c))
		;
}
