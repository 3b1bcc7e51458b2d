/* SPDX-License-Identifier: BSD-2-Clause */
/* An instruction's class, from its mnemonic and operands. Private to the decoder. */
#ifndef CORE_DECODE_CLASSIFY_H
#define CORE_DECODE_CLASSIFY_H

#include <stdbool.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

#include "emulator/sim/config/insn_class.h"

/* By enum ZydisMnemonic: enum insn_class. */
extern const uint8_t mnemonic_classes[ZYDIS_MNEMONIC_MAX_VALUE + 1];

/* Classifies a fully decoded instruction. */
enum insn_class classify(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands);

/* True if the instruction keeps part of its vector destination without listing it as read. */
bool merges_vector(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands);

#endif
