/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the kernel's ELF segments, at their preferred address or elsewhere (System V ABI,
 * ELF-64). */
#include <elf.h>
#include "boot/uefi.h"

enum { TABLE_PAGES = 256, LARGE_PAGE = 2 << 20 };

static int is_kernel(const struct blob *elf)
{
	const Elf64_Ehdr *header = elf->data;

	return elf->bytes >= sizeof *header && CompareMem(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64 &&
	       header->e_type == ET_EXEC && header->e_phentsize == sizeof(Elf64_Phdr) &&
	       header->e_phoff <= elf->bytes &&
	       header->e_phnum <= (elf->bytes - header->e_phoff) / sizeof(Elf64_Phdr);
}

static const Elf64_Phdr *segments(const struct blob *elf)
{
	return (const Elf64_Phdr *)((const char *)elf->data +
				    ((const Elf64_Ehdr *)elf->data)->e_phoff);
}

/* Computes the range of all segments; an error if one of them extends beyond the end of the
 * file. */
static EFI_STATUS span(const struct blob *elf, UINT64 *low, UINT64 *high)
{
	const Elf64_Phdr *segment = segments(elf);

	*low = ~0ull;
	*high = 0;
	for (UINTN i = 0; i < ((const Elf64_Ehdr *)elf->data)->e_phnum; i++, segment++) {
		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_filesz > elf->bytes ||
		    segment->p_offset > elf->bytes - segment->p_filesz ||
		    segment->p_filesz > segment->p_memsz ||
		    segment->p_paddr + segment->p_memsz > 0x40000000)
			return EFI_LOAD_ERROR;
		if (segment->p_paddr < *low)
			*low = segment->p_paddr;
		if (segment->p_paddr + segment->p_memsz > *high)
			*high = segment->p_paddr + segment->p_memsz;
	}
	return *low < *high ? EFI_SUCCESS : EFI_LOAD_ERROR;
}

/*
 * Takes memory for the image: at its link address, else anywhere below 4 GiB with the same offset
 * within a large page. The kernel makes its first page tables behind the image: a page for each GiB
 * of memory, and some more.
 */
static EFI_STATUS take_memory(UINT64 low, UINT64 bytes, UINT64 top, EFI_PHYSICAL_ADDRESS *base,
			      UINT64 *taken)
{
	UINTN pages = EFI_SIZE_TO_PAGES(bytes) + TABLE_PAGES + top / 0x40000000;
	EFI_PHYSICAL_ADDRESS room = 0xffffffff;

	*base = low;
	*taken = pages * EFI_PAGE_SIZE;
	if (BS->AllocatePages(AllocateAddress, EfiLoaderData, pages, base) == EFI_SUCCESS)
		return EFI_SUCCESS;
	if (BS->AllocatePages(AllocateMaxAddress, EfiLoaderData,
			      pages + EFI_SIZE_TO_PAGES(LARGE_PAGE), &room) != EFI_SUCCESS)
		return EFI_OUT_OF_RESOURCES;
	*base = room + ((low - room) & (LARGE_PAGE - 1));
	return EFI_SUCCESS;
}

void uefi_place_kernel(const struct blob *elf, const struct kernel *kernel,
		       const struct boot_info *info)
{
	const Elf64_Ehdr *header = elf->data;

	SetMem((void *)info->kernel_base, info->kernel_bytes, 0);
	for (UINTN i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = segments(elf) + i;

		if (segment->p_type == PT_LOAD)
			CopyMem((void *)(info->kernel_base + segment->p_paddr - kernel->low),
				(char *)elf->data + segment->p_offset, segment->p_filesz);
	}
}

EFI_STATUS uefi_load_kernel(const struct blob *elf, UINT64 top, struct boot_info *info,
			    struct kernel *kernel)
{
	const Elf64_Ehdr *header = elf->data;
	EFI_PHYSICAL_ADDRESS base;
	UINT64 low, high;
	EFI_STATUS status = is_kernel(elf) ? span(elf, &low, &high) : EFI_LOAD_ERROR;

	if (status != EFI_SUCCESS)
		return status;
	low &= ~(UINT64)EFI_PAGE_MASK;
	status = take_memory(low, high - low, top, &base, &kernel->taken);
	if (status != EFI_SUCCESS)
		return status;
	for (UINTN i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = segments(elf) + i;

		if (segment->p_type == PT_LOAD)
			kernel->virt = segment->p_vaddr - (segment->p_paddr - low);
	}
	kernel->low = low;
	kernel->entry = header->e_entry;
	info->kernel_base = base;
	info->kernel_bytes = high - low;
	uefi_place_kernel(elf, kernel, info);
	return EFI_SUCCESS;
}
