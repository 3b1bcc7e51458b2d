/* SPDX-License-Identifier: BSD-2-Clause */
/* The boot information that both entry points (PVH and UEFI) pass to the kernel: one struct,
 * physical addresses only. */
#ifndef ABI_BOOT_INFO_H
#define ABI_BOOT_INFO_H

#include <stdint.h>

#define BOOT_INFO_MAGIC   0x554d5045524142ul /* "BAREPMU" */
#define BOOT_MAX_REGIONS  256
#define BOOT_CMDLINE_SIZE 2048
#define BOOT_RUN_SIZE     4096

enum boot_memory {
	BOOT_MEM_USABLE = 1,
	BOOT_MEM_RESERVED,
	BOOT_MEM_ACPI,
	BOOT_MEM_MMIO,
	BOOT_MEM_UNUSABLE, /* not to be touched: broken, or the visor's */
};

struct boot_region {
	uint64_t base;
	uint64_t bytes;
	uint32_t kind; /* enum boot_memory */
	uint32_t reserved;
};

struct boot_framebuffer {
	uint64_t base;          /* 0: there is none */
	uint32_t width, height; /* pixels */
	uint32_t stride;        /* pixels a line */
	uint32_t red_shift, green_shift, blue_shift;
};

struct boot_info {
	uint64_t magic;
	uint64_t kernel_base, kernel_bytes; /* the kernel's memory */
	uint64_t initrd_base, initrd_bytes; /* cpio archive; 0: none */
	uint64_t rsdp;                      /* ACPI root pointer; 0: search */
	uint64_t smbios;                    /* SMBIOS entry point, by UEFI; 0: none */
	uint64_t entry_tsc;                 /* TSC at the first instruction of ours */
	uint64_t back_root, back_entry; /* of a loader that keeps the firmware: tables and code to
					   end with (abi/boot_kept.h); 0: the firmware is gone */
	uint32_t by_uefi, by_bios;      /* 1: UEFI; BIOS and Multiboot2; both 0: PVH */
	uint32_t nr_regions;
	/* sorted, not overlapping; the kernel's and the initrd's memory are in usable ones */
	struct boot_region regions[BOOT_MAX_REGIONS];
	struct boot_framebuffer framebuffer;
	char cmdline[BOOT_CMDLINE_SIZE];
	uint32_t run_bytes; /* of a run file that goes before the initrd's; 0: none */
	char run[BOOT_RUN_SIZE];
};

extern struct boot_info boot_info; /* the kernel's copy, constant after start */

#endif
