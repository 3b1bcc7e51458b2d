/* SPDX-License-Identifier: BSD-2-Clause */
/* PVH's start structures: xen/include/public/arch-x86/hvm/start_info.h. All addresses are physical.
 */
#ifndef BOOT_PVH_H
#define BOOT_PVH_H

#include <stdint.h>

#define HVM_START_MAGIC 0x336ec578

struct hvm_start_info {
	uint32_t magic;
	uint32_t version;
	uint32_t flags;
	uint32_t nr_modules;
	uint64_t modlist_paddr;
	uint64_t cmdline_paddr;
	uint64_t rsdp_paddr;
	uint64_t memmap_paddr; /* from version 1 */
	uint32_t memmap_entries;
	uint32_t reserved;
};

struct hvm_modlist_entry {
	uint64_t paddr;
	uint64_t size;
	uint64_t cmdline_paddr;
	uint64_t reserved;
};

struct hvm_memmap_entry {
	uint64_t addr;
	uint64_t size;
	uint32_t type; /* E820's */
	uint32_t reserved;
};

enum { E820_RAM = 1, E820_RESERVED, E820_ACPI, E820_NVS, E820_UNUSABLE };

_Static_assert(sizeof(struct hvm_start_info) == 56, "PVH ABI");
_Static_assert(sizeof(struct hvm_modlist_entry) == 32, "PVH ABI");
_Static_assert(sizeof(struct hvm_memmap_entry) == 24, "PVH ABI");

#endif
