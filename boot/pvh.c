/* SPDX-License-Identifier: BSD-2-Clause */
/* The PVH entry point: converts pvh_start_info to boot_info. */
#include "abi/pvh.h"
#include "arch/x86/paging/paging.h"
#include "boot/boot.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"

extern char image_start[], image_end[];

struct boot_info boot_info;

static void *direct(uint64_t phys)
{
	return (void *)(DIRECT_MAP + phys);
}

static enum boot_memory region_kind(uint32_t kind)
{
	switch (kind) {
	case PVH_MEMORY_USABLE:
		return BOOT_MEM_USABLE;
	case PVH_MEMORY_ACPI:
		return BOOT_MEM_ACPI;
	case PVH_MEMORY_UNUSABLE:
		return BOOT_MEM_UNUSABLE;
	default:
		return BOOT_MEM_RESERVED;
	}
}

void boot_region_add(uint64_t base, uint64_t bytes, uint32_t kind)
{
	if (boot_info.nr_regions < BOOT_MAX_REGIONS)
		boot_info.regions[boot_info.nr_regions++] =
		    (struct boot_region){.base = base, .bytes = bytes, .kind = region_kind(kind)};
}

void boot_begin(uint64_t tsc)
{
	boot_info.magic = BOOT_INFO_MAGIC;
	boot_info.entry_tsc = tsc;
	boot_info.kernel_base = (uint64_t)image_start - KERNEL_BASE;
	boot_info.kernel_bytes = (uint64_t)image_end - (uint64_t)image_start;
}

static void copy_memory_map(const struct pvh_start_info *start)
{
	const struct pvh_region *map = direct(start->memory_map);

	for (uint32_t i = 0; i < start->nr_regions; i++)
		boot_region_add(map[i].base, map[i].bytes, map[i].kind);
}

void boot_from_pvh(uint64_t start_info, uint64_t tsc)
{
	const struct pvh_start_info *start = direct(start_info);
	const struct pvh_module *module = direct(start->modules);

	boot_begin(tsc);
	if (start->magic == PVH_MAGIC && start->version >= 1) {
		copy_memory_map(start);
		boot_info.rsdp = start->rsdp;
		if (start->nr_modules) {
			boot_info.initrd_base = module->base;
			boot_info.initrd_bytes = module->bytes;
		}
		if (start->command_line)
			strlcpy(boot_info.cmdline, direct(start->command_line), BOOT_CMDLINE_SIZE);
	}
	boot_regions_finish(&boot_info);
	kernel_main();
}

void boot_from_uefi(const struct boot_info *info)
{
	boot_info = *info;
	boot_regions_finish(&boot_info);
	kernel_main();
}
