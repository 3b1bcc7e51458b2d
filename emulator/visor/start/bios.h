/* SPDX-License-Identifier: BSD-2-Clause */
/* The BIOS's memory services: a guest in real mode calls them, not the visor. */
#ifndef VISOR_BIOS_H
#define VISOR_BIOS_H

#include "emulator/visor/base/memory_map.h"

/*
 * Reserves the end of conventional memory in `map`, and from there answers INT 15H's memory
 * requests (AX = E820H and E801H, AH = 88H) in the BIOS's place; INT 12H reports the rest. Does
 * nothing without a BIOS. False: the map is full.
 */
bool bios_answer_by(struct memory_map *map);

#endif
