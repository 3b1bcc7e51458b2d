/* SPDX-License-Identifier: BSD-2-Clause */
/* How a guest's kernel is started, whatever its format: 32-bit protected mode, flat, no paging. */
#ifndef VISOR_GUEST_IMAGE_H
#define VISOR_GUEST_IMAGE_H

#include "visor/start/bundle.h"
#include "visor/base/memory_map.h"

/* What the kernel finds in its registers; the others are 0. */
struct guest_entry {
	uint32_t rip, rax, rbx, rsi;
};

/* What the kernel is told. It lies outside the visor's memory, below 4 GiB. */
struct guest_facts {
	const struct memory_map *map;
	const char *cmdline;
	struct pvh_module initrd; /* base 0: none */
	uint64_t rsdp;
	void *room; /* GUEST_ROOM zeroed bytes of the guest's, for the format's own structures */
};

#define GUEST_ROOM 8192

/*
 * Linux's bzImage, by its 32-bit boot protocol (Documentation/arch/x86/boot.rst). It is loaded
 * where it wants to lie, which must be usable memory and clear of `taken`; gives where. Stops the
 * machine with one line if that cannot be.
 */
bool bzimage_is(struct blob file);
uint32_t bzimage_load(struct blob file, const struct memory_map *map, struct range taken);
/* Fills the room for the kernel that was loaded at `entry`. */
struct guest_entry bzimage_enter(struct blob file, uint32_t entry, const struct guest_facts *facts);

/* An ELF file with a multiboot header in its first 8 KiB (Multiboot specification 0.6.96); loaded
 * by guest_elf_load(). */
bool multiboot_is(struct blob file);
struct guest_entry multiboot_enter(uint32_t entry, const struct guest_facts *facts);

#endif
