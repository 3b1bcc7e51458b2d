/* SPDX-License-Identifier: BSD-2-Clause */
/* What a BIOS tells of the machine's memory: a guest in real mode asks it, not the visor. */
#ifndef VISOR_BIOS_H
#define VISOR_BIOS_H

#include "emulator/visor/base/memory_map.h"

/*
 * Takes the end of conventional memory out of `map`, and answers from there INT 15H's questions for
 * memory (AX = E820H and E801H, AH = 88H) by the map, in the BIOS's place; INT 12H tells what is
 * left. Without a BIOS it does nothing. False: the map is full.
 */
bool bios_answer_by(struct memory_map *map);

#endif
