/* SPDX-License-Identifier: BSD-2-Clause */
/* The prefixes of an instruction. Intel SDM vol. 2, "Instruction Prefixes". */
#ifndef VISOR_MODEL_CURSOR_H
#define VISOR_MODEL_CURSOR_H

#include "emulator/visor/model/insn/decode.h"

#define REX   0x40 /* and the 15 after it */
#define REX_B 0x1
#define REX_X 0x2
#define REX_W 0x8

/* An instruction being decoded: its remaining bytes and its prefixes. */
struct cursor {
	const uint8_t *bytes;
	unsigned at, available;
	enum decode_mode mode;
	bool operand, address, lock, rep; /* 66, 67, F0, F3 */
	uint8_t rex;
	uint8_t segment; /* the last prefix of a segment; 0: none */
};

/* Moves the cursor behind all prefixes. */
void cursor_take_prefixes(struct cursor *c);

#endif
