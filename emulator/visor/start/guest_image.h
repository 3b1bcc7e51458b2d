/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting a guest's kernel of any format: in 32-bit protected mode, flat, without paging; or in
 * real mode. */
#ifndef VISOR_GUEST_IMAGE_H
#define VISOR_GUEST_IMAGE_H

#include "emulator/visor/base/memory_map.h"
#include "emulator/visor/start/bundle.h"

/* The kernel's initial registers; the others are 0. In real mode all data segments are
 * `segment`. */
struct guest_entry {
	uint32_t rip, rax, rbx, rsi, rsp;
	bool real_mode;
	uint16_t segment, code_segment;
};

/* Boot information for the kernel. It is outside of the visor's memory, below 4 GiB. */
struct guest_facts {
	const struct memory_map *map;
	const char *cmdline;
	struct blob kernel_name, initrd_name; /* their files' names; not ended by NUL */
	struct pvh_module initrd;             /* base 0: none */
	uint64_t rsdp;
	void *room; /* GUEST_ROOM zeroed bytes of the guest's, for the format's own structures */
};

#define CMDLINE_SIZE 4096 /* with its NUL */
#define GUEST_ROOM   20480

/*
 * Linux's bzImage (Documentation/arch/x86/boot.rst), by its 32-bit boot protocol; before version
 * 2.10 by the real-mode protocol. Loads it at its preferred address, which must be usable memory
 * and clear of `taken`, and returns that address. Stops the machine with one line if that is
 * impossible.
 */
bool bzimage_is(struct blob file);
uint32_t bzimage_load(struct blob file, const struct memory_map *map, struct range taken);
/* Fills in the boot information for the kernel that was loaded at `entry`. */
struct guest_entry bzimage_enter(struct blob file, uint32_t entry, const struct guest_facts *facts);

/* An ELF file with a multiboot header in its first 8 KiB (Multiboot specification 0.6.96); loaded
 * by guest_elf_load(). */
bool multiboot_is(struct blob file);
struct guest_entry multiboot_enter(uint32_t entry, const struct guest_facts *facts);

#endif
