/* SPDX-License-Identifier: BSD-2-Clause */
/* The PVH door: turns hvm_start_info into boot_info. */
#include "arch/x86/paging/paging.h"
#include "boot/boot.h"
#include "boot/pvh.h"
#include "kernel/base/log.h"
#include "kernel/base/string.h"

extern char image_start[], image_end[];

struct boot_info boot_info;

static void *direct(uint64_t phys)
{
	return (void *)(DIRECT_MAP + phys);
}

static enum boot_memory region_kind(uint32_t e820)
{
	switch (e820) {
	case E820_RAM:
		return BOOT_MEM_USABLE;
	case E820_ACPI:
		return BOOT_MEM_ACPI;
	default:
		return BOOT_MEM_RESERVED;
	}
}

static void copy_memory_map(const struct hvm_start_info *start)
{
	const struct hvm_memmap_entry *map = direct(start->memmap_paddr);

	for (uint32_t i = 0; i < start->memmap_entries && i < BOOT_MAX_REGIONS; i++)
		boot_info.regions[boot_info.nr_regions++] = (struct boot_region){
		    .base = map[i].addr, .bytes = map[i].size, .kind = region_kind(map[i].type)};
}

void boot_from_pvh(uint64_t start_info_phys, uint64_t tsc)
{
	const struct hvm_start_info *start = direct(start_info_phys);
	const struct hvm_modlist_entry *module = direct(start->modlist_paddr);

	boot_info.magic = BOOT_INFO_MAGIC;
	boot_info.entry_tsc = tsc;
	boot_info.kernel_base = (uint64_t)image_start - KERNEL_BASE;
	boot_info.kernel_bytes = (uint64_t)image_end - (uint64_t)image_start;
	if (start->magic == HVM_START_MAGIC && start->version >= 1) {
		copy_memory_map(start);
		boot_info.rsdp = start->rsdp_paddr;
		if (start->nr_modules) {
			boot_info.initrd_base = module->paddr;
			boot_info.initrd_bytes = module->size;
		}
		if (start->cmdline_paddr)
			strlcpy(boot_info.cmdline, direct(start->cmdline_paddr), BOOT_CMDLINE_SIZE);
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
