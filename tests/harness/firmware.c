/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's SMBIOS entry points and table with any bytes, of which the sums are right: what
 * becomes a file is in the firmware's memory. */
#include <stdlib.h>
#include "tests/harness/bytes.h"
#include "kernel/procfs/sys_firmware.c"

#define MEMORY 0x10000ul
#define LOW    (BIOS_END - MEMORY) /* the addresses that the input is at */

struct boot_info boot_info;
static uint8_t memory[MEMORY] __attribute__((aligned(4096)));

void *paging_map_device(uint64_t phys, uint64_t bytes, enum paging_cache cache)
{
	(void)cache;
	if (phys < LOW || bytes > MEMORY || phys - LOW > MEMORY - bytes)
		return NULL;
	return memory + (phys - LOW);
}

void synthetic_add(const struct synthetic *added)
{
	(void)added;
}

void text_add(struct text *text, const char *bytes, size_t length)
{
	static volatile uint8_t seen;

	(void)text;
	for (size_t i = 0; i < length; i++)
		seen = (uint8_t)bytes[i];
	(void)seen;
}

/* Puts an entry point of either version somewhere, with a sum that is right. */
static void put_entry(struct bytes *in)
{
	bool wide = take_one_of(in, 2);
	uint8_t *at = memory + take(in, 2) % (MEMORY / ENTRY_ALIGN) * ENTRY_ALIGN;
	uint8_t bytes = (uint8_t)take(in, 1), sum = 0;
	uint64_t phys = LOW + take(in, 4) % (2 * MEMORY);

	if (at + 256 > memory + MEMORY)
		return;
	memcpy(at, wide ? "_SM3_" : "_SM_", wide ? 5 : 4);
	at[wide ? LENGTH_3 : LENGTH_2] = bytes;
	memcpy(at + (wide ? TABLE_3 : TABLE_2), &phys, wide ? 8 : 4);
	at[wide ? 5 : 4] = 0;
	for (unsigned i = 0; i < bytes; i++)
		sum = (uint8_t)(sum + at[i]);
	at[wide ? 5 : 4] = (uint8_t)-sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = {data, size};
	struct text out = {0};

	memset(memory, 0, sizeof(memory));
	memset(&dmi, 0, sizeof(dmi));
	boot_info =
	    (struct boot_info){.by_uefi = take_one_of(&in, 2), .smbios = LOW + take(&in, 2)};
	boot_info.nr_regions = take_one_of(&in, 3);
	for (unsigned i = 0; i < boot_info.nr_regions; i++)
		boot_info.regions[i] = (struct boot_region){.base = LOW + take(&in, 2),
							    .bytes = take(&in, 4),
							    .kind = (uint32_t)take_one_of(&in, 4)};
	for (unsigned i = take_one_of(&in, 6); i--;)
		put_entry(&in);
	for (size_t i = 0; i < MEMORY && in.left; i += 7)
		memory[i] ^= (uint8_t)take(&in, 1);
	files[0].size = files[1].size = 0;
	proc_firmware_init();
	if (files[1].size) {
		make_entry(&out, 0);
		make_table(&out, 0);
	}
	return 0;
}
