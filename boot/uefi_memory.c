/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's memory map, the kernel's initial page tables, the end of boot services, the
 * framebuffer. */
#include "boot/uefi.h"

enum { MAP_SLACK = 8 * 1024, MAP_TRIES = 3 };

static UINT8 *map;
static UINTN map_room;

static EFI_STATUS get_map(UINTN *bytes, UINTN *key, UINTN *step)
{
	UINT32 version;

	*bytes = map_room;
	return BS->GetMemoryMap(bytes, (EFI_MEMORY_DESCRIPTOR *)map, key, step, &version);
}

/* Allocates the map, with slack for the entries that this and later allocations add. */
static EFI_STATUS make_room(void)
{
	UINTN bytes = 0, key, step;
	EFI_STATUS status;

	if (map)
		return EFI_SUCCESS;
	get_map(&bytes, &key, &step);
	map_room = bytes + MAP_SLACK;
	status = BS->AllocatePool(EfiLoaderData, map_room, (void **)&map);
	return status;
}

EFI_STATUS uefi_read_map(struct memory_map *read)
{
	UINTN bytes = 0, key;
	EFI_STATUS status = make_room();

	if (status == EFI_SUCCESS)
		status = get_map(&bytes, &key, &read->step);
	read->entries = map;
	read->nr = status == EFI_SUCCESS ? bytes / read->step : 0;
	return status;
}

EFI_MEMORY_DESCRIPTOR *uefi_map_entry(const struct memory_map *read, UINTN index)
{
	return (EFI_MEMORY_DESCRIPTOR *)(read->entries + index * read->step);
}

EFI_STATUS uefi_memory_top(UINT64 *top)
{
	struct memory_map now;
	EFI_STATUS status = uefi_read_map(&now);

	*top = 0x100000000ull;
	for (UINTN i = 0; i < now.nr; i++) {
		const EFI_MEMORY_DESCRIPTOR *d = uefi_map_entry(&now, i);
		UINT64 end = d->PhysicalStart + d->NumberOfPages * EFI_PAGE_SIZE;

		if ((d->Type == EfiConventionalMemory || d->Type == EfiLoaderCode ||
		     d->Type == EfiLoaderData) &&
		    end > *top)
			*top = end;
	}
	return status;
}

static enum boot_memory kind_of(UINT32 type)
{
	switch (type) {
	case EfiLoaderCode:
	case EfiLoaderData:
	case EfiBootServicesCode:
	case EfiBootServicesData:
	case EfiConventionalMemory:
		return BOOT_MEM_USABLE;
	case EfiACPIReclaimMemory:
		return BOOT_MEM_ACPI;
	case EfiMemoryMappedIO:
	case EfiMemoryMappedIOPortSpace:
		return BOOT_MEM_MMIO;
	case EfiUnusableMemory:
		return BOOT_MEM_UNUSABLE;
	default:
		return BOOT_MEM_RESERVED;
	}
}

static void add_region(struct boot_info *info, UINT64 base, UINT64 bytes, enum boot_memory kind)
{
	struct boot_region *last = info->nr_regions ? &info->regions[info->nr_regions - 1] : NULL;

	if (last && last->kind == kind && last->base + last->bytes == base)
		last->bytes += bytes;
	else if (info->nr_regions < BOOT_MAX_REGIONS)
		info->regions[info->nr_regions++] =
		    (struct boot_region){.base = base, .bytes = bytes, .kind = kind};
}

EFI_STATUS uefi_exit(EFI_HANDLE handle, struct boot_info *info)
{
	EFI_STATUS status = make_room();
	UINTN bytes = 0, key = 0, step = 0;

	for (int i = 0; i < MAP_TRIES;
	     i++) { /* the map may change between the two calls: its key is then stale */
		status = get_map(&bytes, &key, &step);
		if (status == EFI_SUCCESS)
			status = BS->ExitBootServices(handle, key);
		if (status != EFI_INVALID_PARAMETER)
			break;
	}
	for (UINT8 *at = map; status == EFI_SUCCESS && at < map + bytes; at += step) {
		EFI_MEMORY_DESCRIPTOR *d = (EFI_MEMORY_DESCRIPTOR *)at;

		add_region(info, d->PhysicalStart, d->NumberOfPages * EFI_PAGE_SIZE,
			   kind_of(d->Type));
	}
	return status;
}

enum { ENTRIES = 512, PRESENT_WRITABLE = 3, LARGE = 0x83, DIRECT_SLOT = 273, LARGE_SHIFT = 21 };
#define GIB 0x40000000ull

static UINT64 *new_tables(UINTN count)
{
	EFI_PHYSICAL_ADDRESS base = 0xffffffff;

	if (BS->AllocatePages(AllocateMaxAddress, EfiLoaderData, count, &base) != EFI_SUCCESS)
		return NULL;
	SetMem((void *)base, count * EFI_PAGE_SIZE, 0);
	return (UINT64 *)base;
}

/* Returns the index of a virtual address in a table of `level` (4: root, 2: large pages). */
static UINTN table_index(UINT64 virt, UINTN level)
{
	return virt >> (3 + 9 * level) & (ENTRIES - 1);
}

/* Maps the image at its link address through `pdpt` and `directory`. */
static void map_kernel(UINT64 *root, UINT64 *pdpt, UINT64 *directory, const struct boot_info *info,
		       UINT64 virt)
{
	UINTN first = table_index(virt, 2);

	root[table_index(virt, 4)] = (UINT64)pdpt | PRESENT_WRITABLE;
	pdpt[table_index(virt, 3)] = (UINT64)directory | PRESENT_WRITABLE;
	for (UINT64 at = 0; at < info->kernel_bytes; at += 1ull << LARGE_SHIFT)
		directory[first + (at >> LARGE_SHIFT)] = (info->kernel_base + at) | LARGE;
}

UINT64 uefi_page_tables(UINT64 top, const struct boot_info *info, const struct kernel *kernel)
{
	UINTN gibs = (top + GIB - 1) / GIB;
	UINT64 *root, *all, *directories;

	if (gibs > ENTRIES)
		gibs = ENTRIES;
	root = new_tables(4 + gibs);
	if (!root)
		return 0;
	map_kernel(root, root + ENTRIES, root + 2 * ENTRIES, info, kernel->virt);
	all = root + 3 * ENTRIES;
	directories = all + ENTRIES;
	for (UINTN i = 0; i < gibs * ENTRIES; i++)
		directories[i] = (UINT64)i << LARGE_SHIFT | LARGE;
	for (UINTN i = 0; i < gibs; i++)
		all[i] = (UINT64)(directories + i * ENTRIES) | PRESENT_WRITABLE;
	root[0] = root[DIRECT_SLOT] = (UINT64)all | PRESENT_WRITABLE;
	return (UINT64)root;
}

static UINT32 lowest_bit(UINT32 mask)
{
	return mask ? (UINT32)__builtin_ctz(mask) : 0;
}

void uefi_framebuffer(struct boot_framebuffer *framebuffer)
{
	EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
	EFI_GRAPHICS_OUTPUT_PROTOCOL *output;
	EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode;

	if (BS->LocateProtocol(&guid, NULL, (void **)&output) != EFI_SUCCESS || !output->Mode)
		return;
	mode = output->Mode->Info;
	if (mode->PixelFormat >= PixelBltOnly)
		return;
	*framebuffer = (struct boot_framebuffer){.base = output->Mode->FrameBufferBase,
						 .width = mode->HorizontalResolution,
						 .height = mode->VerticalResolution,
						 .stride = mode->PixelsPerScanLine};
	if (mode->PixelFormat == PixelBitMask) {
		framebuffer->red_shift = lowest_bit(mode->PixelInformation.RedMask);
		framebuffer->green_shift = lowest_bit(mode->PixelInformation.GreenMask);
		framebuffer->blue_shift = lowest_bit(mode->PixelInformation.BlueMask);
	} else {
		framebuffer->red_shift =
		    mode->PixelFormat == PixelRedGreenBlueReserved8BitPerColor ? 0 : 16;
		framebuffer->green_shift = 8;
		framebuffer->blue_shift = 16 - framebuffer->red_shift;
	}
}
