/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys/firmware/dmi/tables: the firmware's SMBIOS tables (specification 3.4, section 5) as they are
 * in memory. Absent if there are none or they are damaged.
 */
#include "abi/boot_info.h"
#include "arch/x86/paging/paging.h"
#include "kernel/base/string.h"
#include "kernel/procfs/proc.h"

#define DIRECTORY   "/sys/firmware/dmi/tables"
#define BIOS_START  0xf0000ul /* range to search if the boot loader passed no entry point */
#define BIOS_END    0x100000ul
#define ENTRY_ALIGN 16
#define ANCHOR      0x535f     /* how "_SM_" and "_SM3_" begin */
#define ENTRY_BYTES 32         /* at most: as much is looked at */
#define TABLE_BYTES (1u << 20) /* at most: real tables have a few KiB */

/* Offsets of the entry points' fields. */
enum { LENGTH_2 = 5, TABLE_LENGTH_2 = 22, TABLE_2 = 24 };
enum { LENGTH_3 = 6, TABLE_LENGTH_3 = 12, TABLE_3 = 16 };

/* Constant after start. */
static struct {
	uint8_t entry[ENTRY_BYTES];
	const char *table; /* mapped */
	uint32_t entry_bytes, table_bytes;
} dmi;

static void make_entry(struct text *out, uint64_t id)
{
	(void)id;
	text_add(out, (const char *)dmi.entry, dmi.entry_bytes);
}

static void make_table(struct text *out, uint64_t id)
{
	(void)id;
	text_add(out, dmi.table, dmi.table_bytes);
}

static struct synthetic files[] = {
    {.path = DIRECTORY "/smbios_entry_point", .make = make_entry, .mode = 0400},
    {.path = DIRECTORY "/DMI", .make = make_table, .mode = 0400},
};

/* True if the range is outside of the memory that the kernel allocates, so that only firmware can
 * have written it. */
static bool is_firmwares(uint64_t phys, uint64_t bytes)
{
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE && phys < region->base + region->bytes &&
		    region->base < phys + bytes)
			return false;
	}
	return true;
}

/* Uses the entry point if it is valid: the requested version, and a correct checksum. */
static bool take_entry(const uint8_t *at, bool wide)
{
	uint32_t bytes = at[wide ? LENGTH_3 : LENGTH_2];
	uint8_t sum = 0;

	if (wide ? memcmp(at, "_SM3_", 5) != 0 : memcmp(at, "_SM_", 4) != 0)
		return false;
	if (bytes < (wide ? 24 : 30) || bytes > ENTRY_BYTES)
		return false;
	for (uint32_t i = 0; i < bytes; i++)
		sum = (uint8_t)(sum + at[i]);
	if (sum)
		return false;
	memcpy(dmi.entry, at, bytes);
	dmi.entry_bytes = bytes;
	return true;
}

/* Finds the table of the entry point. */
static bool take_table(bool wide)
{
	uint64_t phys = 0;

	memcpy(&phys, dmi.entry + (wide ? TABLE_3 : TABLE_2), wide ? 8 : 4);
	memcpy(&dmi.table_bytes, dmi.entry + (wide ? TABLE_LENGTH_3 : TABLE_LENGTH_2),
	       wide ? 4 : 2);
	if (!dmi.table_bytes || dmi.table_bytes > TABLE_BYTES || phys >> 46 ||
	    !is_firmwares(phys, dmi.table_bytes))
		return false;
	dmi.table = paging_map_device(phys, dmi.table_bytes, PAGING_CACHED);
	return dmi.table;
}

/* The 64-bit entry point takes precedence, as on Linux. One walk, a word per step: it is a
 * significant part of a start. */
static bool find(const uint8_t *memory, uint64_t bytes)
{
	const uint8_t *narrow = NULL, *last = memory + bytes - ENTRY_BYTES;

	for (const uint8_t *at = memory; at <= last; at += ENTRY_ALIGN) {
		uint16_t word; /* the firmware's tables may be at odd addresses */

		__builtin_memcpy(&word, at, sizeof(word));
		if (word != ANCHOR)
			continue;
		if (take_entry(at, true) && take_table(true))
			return true;
		if (!narrow && take_entry(at, false))
			narrow = at;
	}
	return narrow && take_entry(narrow, false) && take_table(false);
}

void proc_firmware_init(void)
{
	uint64_t phys = boot_info.by_uefi ? boot_info.smbios : BIOS_START,
		 bytes = boot_info.by_uefi ? ENTRY_BYTES : BIOS_END - BIOS_START;
	const uint8_t *memory;

	if (!phys || phys >> 46 || !is_firmwares(phys, bytes))
		return;
	memory = paging_map_device(phys, bytes, PAGING_CACHED);
	if (!memory || !find(memory, bytes))
		return;
	files[0].size = dmi.entry_bytes;
	files[1].size = dmi.table_bytes;
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		synthetic_add(&files[i]);
}
