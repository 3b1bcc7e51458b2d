/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading the guest's kernel. */
#ifndef VISOR_GUEST_ELF_H
#define VISOR_GUEST_ELF_H

#include "emulator/visor/base/memory_map.h"
#include "emulator/visor/start/bundle.h"

/* The entry points. */
struct elf_entries {
	uint32_t pvh;    /* as its PVH note says; 0: it has none */
	uint32_t header; /* as its header says */
};

/*
 * Copies the segments of an ELF file (x86, 32 or 64 bits) to their physical addresses, which must
 * be usable and clear of `taken`. Stops the machine with one line on an error.
 */
struct elf_entries guest_elf_load(struct blob file, const struct memory_map *map,
				  struct range taken);

#endif
