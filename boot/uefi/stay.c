/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the kernel while the firmware stays: in memory allocated from the firmware, with the
 * processor's registers saved. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/paging/paging.h"
#include "boot/uefi/stick.h"

#define MIB            0x100000ull
#define LOW_END        0xa0000ull
#define LEFT_BYTES     (96 * MIB)  /* of the firmware's own, for its drivers */
#define SMALLEST_BYTES (64 * 1024) /* smaller pieces also stay with the firmware */

void uefi_give(struct boot_info *info, UINT64 base, UINT64 bytes)
{
	if (info->nr_regions < BOOT_MAX_REGIONS)
		info->regions[info->nr_regions++] =
		    (struct boot_region){.base = base, .bytes = bytes, .kind = BOOT_MEM_USABLE};
}

/* Provides the page where other processors start. */
static void give_low_page(struct boot_info *info)
{
	EFI_PHYSICAL_ADDRESS page = LOW_END - 1;

	if (BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, 1, &page) == EFI_SUCCESS)
		uefi_give(info, page, EFI_PAGE_SIZE);
}

static UINT64 bytes_of(const EFI_MEMORY_DESCRIPTOR *d)
{
	return d->Type == EfiConventionalMemory && d->PhysicalStart >= MIB
		   ? d->NumberOfPages * EFI_PAGE_SIZE
		   : 0;
}

/* Returns the largest piece of memory that the firmware's devices can address. */
static const EFI_MEMORY_DESCRIPTOR *find_largest(const struct memory_map *map)
{
	const EFI_MEMORY_DESCRIPTOR *largest = uefi_map_entry(map, 0);

	for (UINTN i = 0; i < map->nr; i++) {
		const EFI_MEMORY_DESCRIPTOR *d = uefi_map_entry(map, i);

		if (d->PhysicalStart >> 32 == 0 && bytes_of(d) > bytes_of(largest))
			largest = d;
	}
	return largest;
}

/* Returns the part of a piece that the kernel gets: of the largest piece its lower end. */
static UINT64 wanted(const EFI_MEMORY_DESCRIPTOR *d, const EFI_MEMORY_DESCRIPTOR *largest)
{
	UINT64 bytes = bytes_of(d);

	if (d != largest)
		return bytes;
	return bytes > 2 * LEFT_BYTES ? bytes - LEFT_BYTES : bytes / 2 & ~(UINT64)EFI_PAGE_MASK;
}

EFI_STATUS uefi_take_memory(struct boot_info *info)
{
	const EFI_MEMORY_DESCRIPTOR *largest;
	struct memory_map map;
	EFI_STATUS status = uefi_read_map(&map);

	if (status != EFI_SUCCESS)
		return status;
	give_low_page(info);
	largest = find_largest(&map);
	for (UINTN i = 0; i < map.nr; i++) {
		const EFI_MEMORY_DESCRIPTOR *d = uefi_map_entry(&map, i);
		UINT64 bytes = wanted(d, largest);
		EFI_PHYSICAL_ADDRESS base = d->PhysicalStart;

		if (bytes >= SMALLEST_BYTES &&
		    BS->AllocatePages(AllocateAddress, EfiLoaderData, bytes / EFI_PAGE_SIZE,
				      &base) == EFI_SUCCESS)
			uefi_give(info, base, bytes);
	}
	return EFI_SUCCESS;
}

EFI_STATUS uefi_take_part(struct boot_info *info, UINT64 bytes, UINT64 *base)
{
	EFI_PHYSICAL_ADDRESS at = 0xffffffff;
	UINTN pages = EFI_SIZE_TO_PAGES(bytes) + 1;
	EFI_STATUS status = BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, pages, &at);

	if (status != EFI_SUCCESS)
		return status;
	uefi_give(info, at, pages * EFI_PAGE_SIZE);
	*base = at;
	return EFI_SUCCESS;
}

const struct boot_kept *uefi_visit_kernel(UINT64 root, UINT64 entry, struct boot_info *info)
{
	static const UINT32 kept[] = {MSR_PAT,  MSR_FS_BASE, MSR_GS_BASE, MSR_KERNEL_GS_BASE,
				      MSR_STAR, MSR_LSTAR,   MSR_SFMASK};
	enum { NR_KEPT = sizeof(kept) / sizeof(kept[0]) };
	UINT64 values[NR_KEPT], flags = irq_save();
	const struct boot_kept *result;

	for (unsigned i = 0; i < NR_KEPT; i++)
		values[i] = rdmsr(kept[i]);
	info->back_root = root;
	info->back_entry = (UINT64)uefi_back;
	result = uefi_visit(root, entry, DIRECT_MAP + (UINT64)info);
	for (unsigned i = 0; i < NR_KEPT; i++)
		wrmsr(kept[i], values[i]);
	irq_restore(flags);
	return result;
}
