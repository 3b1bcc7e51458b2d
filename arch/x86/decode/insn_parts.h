/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes instructions of 64-bit mode apart: Intel SDM volume 2, chapter 2 and appendix A. */
#ifndef ARCH_X86_INSN_PARTS_H
#define ARCH_X86_INSN_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_BYTES_MAX 15
#define INSN_REX_W     0x8

enum insn_map { INSN_MAP_ONE, INSN_MAP_0F, INSN_MAP_0F38, INSN_MAP_0F3A };

struct insn_parts {
	uint8_t length;
	uint8_t map, opcode;        /* enum insn_map */
	uint8_t at;                 /* where the opcode is */
	uint8_t modrm;              /* where that is, 0: none */
	uint8_t relative;           /* where a displacement from RIP is, of 4 bytes; 0: none */
	uint8_t rex;                /* the prefix; 0: none */
	bool short_address, vector; /* prefix 67; VEX or EVEX */
};

/* Fills `insn` of the instruction of which `available` bytes may be read: 0, or -EINVAL: it is
 * none, or longer. Context: any. */
int insn_take_apart(struct insn_parts *insn, const uint8_t *bytes, size_t available);

#endif
