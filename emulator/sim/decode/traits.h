/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of single instructions, by mnemonic. Private to the decoder. */
#ifndef CORE_DECODE_TRAITS_H
#define CORE_DECODE_TRAITS_H

#include <Zydis/Zydis.h>

#include "emulator/sim/decode/decode.h"

/* Fills in what depends on the mnemonic; the class is known, and may become a more special one. */
void take_traits(struct insn *insn, const ZydisDecodedInstruction *z,
		 const ZydisDecodedOperand *operands);

/* Returns the positions by which the instruction moves the x87 stack. */
int x87_push(const ZydisDecodedInstruction *z);

#endif
