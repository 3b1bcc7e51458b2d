/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of usable memory that the page allocator does not hand out. */
#include "abi/boot_info.h"
#include "kernel/base/assert.h"
#include "kernel/mem/page.h"
#include "kernel/mem/reserved.h"

#define MAX_RESERVED 4

struct range {
	uint64_t start, end;
};

static struct range reserved[MAX_RESERVED];
static unsigned nr_reserved;

void reserved_add(uint64_t base, uint64_t bytes)
{
	if (!bytes)
		return;
	KASSERT(nr_reserved < MAX_RESERVED);
	reserved[nr_reserved].start = base & -PAGE_SIZE;
	reserved[nr_reserved].end = (base + bytes + PAGE_SIZE - 1) & -PAGE_SIZE;
	nr_reserved++;
}

/* Returns the lowest address from `from` on where `bytes` do not overlap a reserved range. */
static uint64_t skip(uint64_t from, uint64_t bytes)
{
	for (unsigned i = 0; i < nr_reserved; i++)
		if (from < reserved[i].end && from + bytes > reserved[i].start) {
			from = reserved[i].end;
			i = -1u;
		}
	return from;
}

uint64_t reserved_find_room(uint64_t bytes)
{
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t at = skip((region->base + PAGE_SIZE - 1) & -PAGE_SIZE, bytes);

		if (region->kind == BOOT_MEM_USABLE && at + bytes <= region->base + region->bytes)
			return at;
	}
	return 0;
}

uint64_t reserved_pages(uint64_t start, uint64_t end)
{
	uint64_t pages = 0;

	for (unsigned i = 0; i < nr_reserved; i++) {
		uint64_t from = reserved[i].start > start ? reserved[i].start : start;
		uint64_t to = reserved[i].end < end ? reserved[i].end : end;

		if (from < to)
			pages += (to - from) / PAGE_SIZE;
	}
	return pages;
}

/* As reserved_gaps(), for the ranges from `index` on. */
static void gaps_from(unsigned index, uint64_t start, uint64_t end,
		      void (*gap)(uint64_t start, uint64_t end))
{
	for (; index < nr_reserved; index++) {
		const struct range *range = &reserved[index];

		if (range->end <= start || range->start >= end)
			continue;
		if (range->start > start)
			gaps_from(index + 1, start, range->start, gap);
		if (range->end >= end)
			return;
		start = range->end;
	}
	gap(start, end);
}

void reserved_gaps(uint64_t start, uint64_t end, void (*gap)(uint64_t start, uint64_t end))
{
	gaps_from(0, start, end, gap);
}
