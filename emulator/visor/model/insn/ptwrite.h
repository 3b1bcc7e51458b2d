/* SPDX-License-Identifier: BSD-2-Clause */
/* PTWRITE and its operand. Intel SDM vol. 2, PTWRITE and "ModR/M and SIB Bytes". */
#ifndef VISOR_MODEL_PTWRITE_H
#define VISOR_MODEL_PTWRITE_H

#include "emulator/visor/model/insn/decode.h"

#define PTWRITE_NONE 255 /* struct ptwrite: no such register */

enum ptwrite_base { PTWRITE_REGISTER, PTWRITE_MEMORY, PTWRITE_RELATIVE /* memory, to RIP */ };

struct ptwrite {
	uint8_t length; /* bytes of the instruction */
	uint8_t bytes;  /* of its operand: 4 or 8 */
	uint8_t kind;   /* enum ptwrite_base */
	uint8_t base;   /* number of a register, or PTWRITE_NONE; of PTWRITE_REGISTER the operand */
	uint8_t index;  /* number of a register, or PTWRITE_NONE */
	uint8_t scale;  /* the index is shifted by it */
	uint8_t segment; /* a prefix; 0: none */
	bool narrow;     /* addresses have 32 bits */
	int32_t displacement;
};

/* Decodes PTWRITE. False: another instruction, an undefined form, or one with addresses of 16
 * bits. */
bool ptwrite_decode(const uint8_t *bytes, unsigned available, enum decode_mode mode,
		    struct ptwrite *ptwrite);
/* Returns the offset of the operand in memory, in its segment; `next`: RIP behind the
 * instruction. */
uint64_t ptwrite_offset(const struct ptwrite *ptwrite, const uint64_t registers[16], uint64_t next);

#endif
