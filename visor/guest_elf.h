/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading the guest's kernel. */
#ifndef VISOR_GUEST_ELF_H
#define VISOR_GUEST_ELF_H

#include "visor/bundle.h"
#include "visor/memory_map.h"

/*
 * Copies the segments of an ELF file (x86, 32 or 64 bits) to their physical addresses, which must
 * be usable and clear of `taken`, and gives the entry that its PVH note names. Stops the machine
 * with one line if anything is wrong.
 */
uint32_t guest_elf_load(struct blob file, const struct memory_map *map, struct range taken);

#endif
