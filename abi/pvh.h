/* SPDX-License-Identifier: BSD-2-Clause */
/* PVH: the structures that the loader passes to a kernel. Xen's public/arch-x86/hvm/start_info.h
 * and elfnote.h. */
#ifndef ABI_PVH_H
#define ABI_PVH_H

#include <stddef.h>
#include <stdint.h>

#define PVH_MAGIC           0x336ec578u
#define PVH_NOTE_NAME       "Xen"
#define PVH_NOTE_ENTRY      18 /* XEN_ELFNOTE_PHYS32_ENTRY */
#define PVH_MEMORY_USABLE   1
#define PVH_MEMORY_ACPI     3
#define PVH_MEMORY_UNUSABLE 5

struct pvh_start_info {
	uint32_t magic;
	uint32_t version; /* 1: has a memory map */
	uint32_t flags;
	uint32_t nr_modules;
	uint64_t modules; /* physical address of struct pvh_module[] */
	uint64_t command_line;
	uint64_t rsdp;
	uint64_t memory_map; /* struct pvh_region[] */
	uint32_t nr_regions;
	uint32_t reserved;
};

struct pvh_module {
	uint64_t base, bytes;
	uint64_t command_line;
	uint64_t reserved;
};

struct pvh_region {
	uint64_t base, bytes;
	uint32_t kind; /* PVH_MEMORY_*, and the other types of ACPI's memory map */
	uint32_t reserved;
};

_Static_assert(sizeof(struct pvh_start_info) == 56, "start_info");
_Static_assert(offsetof(struct pvh_start_info, memory_map) == 40, "start_info");
_Static_assert(sizeof(struct pvh_module) == 32, "module");
_Static_assert(sizeof(struct pvh_region) == 24, "region");

#endif
