/* SPDX-License-Identifier: BSD-2-Clause */
/* Normalises the memory map: sorted, not overlapping, adjacent regions of a kind merged. */
#include <stdbool.h>
#include "boot/boot.h"

#define ADDRESS_END (1ul << 52) /* of physical addresses: Intel SDM volume 3, "Paging" */

/* Precedence of the kinds where regions overlap. */
static int rank(uint32_t kind)
{
	return kind == BOOT_MEM_USABLE ? 0 : kind == BOOT_MEM_ACPI ? 1 : 2;
}

static uint64_t end_of(const struct boot_region *region)
{
	return region->base + region->bytes;
}

static void sort(struct boot_info *info)
{
	for (uint32_t i = 1; i < info->nr_regions; i++) {
		struct boot_region moving = info->regions[i];
		uint32_t at = i;

		for (; at && info->regions[at - 1].base > moving.base; at--)
			info->regions[at] = info->regions[at - 1];
		info->regions[at] = moving;
	}
}

/*
 * Resolves the overlap of regions i and i+1: the weaker one is trimmed, and split in two if it
 * surrounds the other (its tail takes a free slot, if there is one).
 */
static void settle(struct boot_info *info, uint32_t i)
{
	struct boot_region *low = &info->regions[i], *high = &info->regions[i + 1];
	uint64_t low_end = end_of(low), high_end = end_of(high);

	if (rank(low->kind) < rank(high->kind)) {
		if (low_end > high_end && info->nr_regions < BOOT_MAX_REGIONS)
			info->regions[info->nr_regions++] = (struct boot_region){
			    .base = high_end, .bytes = low_end - high_end, .kind = low->kind};
		low->bytes = high->base - low->base;
	} else {
		high->bytes = high_end > low_end ? high_end - low_end : 0;
		high->base = low_end;
	}
}

static void drop_empty(struct boot_info *info)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < info->nr_regions; i++)
		if (info->regions[i].bytes)
			info->regions[kept++] = info->regions[i];
	info->nr_regions = kept;
}

static void join(struct boot_info *info)
{
	for (uint32_t i = 0; i + 1 < info->nr_regions; i++) {
		struct boot_region *low = &info->regions[i], *high = &info->regions[i + 1];

		if (low->kind == high->kind && end_of(low) == high->base) {
			high->base = low->base;
			high->bytes += low->bytes;
			low->bytes = 0;
		}
	}
	drop_empty(info);
}

/* Cuts regions at the end of physical addresses: base + bytes must not wrap. */
static void limit(struct boot_info *info)
{
	for (uint32_t i = 0; i < info->nr_regions; i++) {
		struct boot_region *region = &info->regions[i];
		uint64_t room = region->base < ADDRESS_END ? ADDRESS_END - region->base : 0;

		if (region->bytes > room)
			region->bytes = room;
	}
}

void boot_regions_finish(struct boot_info *info)
{
	bool settled = false;

	limit(info);
	while (!settled) {
		settled = true;
		drop_empty(info);
		sort(info);
		for (uint32_t i = 0; i + 1 < info->nr_regions && settled; i++) {
			if (end_of(&info->regions[i]) > info->regions[i + 1].base) {
				settle(info, i);
				settled = false;
			}
		}
	}
	join(info);
}
