/* SPDX-License-Identifier: BSD-2-Clause */
/* Renaming of parts of general registers apart from the rest, within a segment. Private to the
 * blocks. */
#ifndef CORE_PIPE_PARTS_H
#define CORE_PIPE_PARTS_H

#include "emulator/sim/config/pipeline_config.h"
#include "emulator/sim/decode/decode.h"

/* By general register: 1 + enum register_part of the part that is apart; 0: none. */
struct parts {
	uint8_t apart[16];
};

/* Returns the registers, a bit each, that must be whole again before the instruction; they are
 * then. */
uint16_t parts_merge(struct parts *parts, const struct insn *insn);

/* Returns all registers with a part apart, a bit each; none has one then. */
uint16_t parts_merge_all(struct parts *parts);

/* Replaces what the instruction reads and writes by the parts' names, REG_PART and the register. */
void parts_rename(struct parts *parts, const struct pipe_config *pipe, struct insn *insn);

#endif
