/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's half of every address space: image, direct map, stacks, devices. Intel SDM volume 3,
 * "4-Level Paging". */
#include <linux/errno.h>
#include <stddef.h>
#include "abi/boot_info.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/descriptors.h"
#include "arch/x86/cpu/trap_hooks.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/paging/pte.h"

#define SLOT(virt, level) ((virt) >> (12 + 9 * (level)) & 511)
_Static_assert(SLOT(DIRECT_MAP, 3) == 273, "boot/entry.asm");
_Static_assert(SLOT(KERNEL_BASE, 3) == 511 && SLOT(KERNEL_BASE, 2) == 510, "boot/entry.asm");
_Static_assert(KERNEL_BASE == 0xffffffff80000000ul, "boot/entry.asm, linker.ld");
#undef SLOT

extern char image_start[], text_start[], rodata_start[], data_start[], image_end[];

uint64_t pte_nx;

static uint64_t kernel_root;
static uint64_t image_offset;             /* virtual minus physical address of the image */
static uint64_t device_next = DEVICE_MAP; /* first free address of the device region */
static unsigned largest_page;             /* level of the largest pages: 2 (2 MiB) or 3 (1 GiB) */

/* The start-up allocator: tables follow the image, while the memory there is usable. */

static bool usable(uint64_t phys)
{
	if (phys < boot_info.initrd_base + boot_info.initrd_bytes &&
	    phys + PTE_PAGE > boot_info.initrd_base)
		return false;
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];

		if (region->kind == BOOT_MEM_USABLE && phys >= region->base &&
		    phys + PTE_PAGE <= region->base + region->bytes)
			return true;
	}
	return false;
}

static void *early_page(void)
{
	uint64_t phys = boot_info.kernel_base + boot_info.kernel_bytes;
	void *page = (void *)(DIRECT_MAP + phys);

	if (!usable(phys))
		trap_hooks.fatal(NULL, "no usable memory after the kernel image for page tables");
	boot_info.kernel_bytes += PTE_PAGE;
	__builtin_memset(page, 0, PTE_PAGE);
	return page;
}

/* Mapping. */

/* Returns the entry of `virt` at `level` in the kernel's tables, or NULL if there is no memory for
 * a table. */
static uint64_t *entry_of(uint64_t virt, unsigned level)
{
	uint64_t *table = pte_table(kernel_root);

	for (unsigned at = 4; at > level; at--) {
		uint64_t *entry = &table[pte_index(virt, at)];

		if (!*entry) {
			uint64_t *next = paging_table_alloc();

			if (!next)
				return NULL;
			*entry = ((uint64_t)next - DIRECT_MAP) | PTE_TABLE;
		}
		table = pte_table(*entry);
	}
	return &table[pte_index(virt, level)];
}

/* Returns the largest level whose pages are aligned at both addresses and fit `bytes`. */
static unsigned fitting_level(uint64_t virt, uint64_t phys, uint64_t bytes)
{
	unsigned level = largest_page;

	while (level > 1 && (((virt | phys) & (pte_span(level) - 1)) || bytes < pte_span(level)))
		level--;
	return level;
}

/* Maps a page-aligned range with the largest pages that fit. Returns 0 or -ENOMEM. */
static int map_range(uint64_t virt, uint64_t phys, uint64_t bytes, uint64_t bits)
{
	uint64_t end = virt + bytes;

	while (virt < end) {
		unsigned level = fitting_level(virt, phys, end - virt);
		uint64_t *entry = entry_of(virt, level), span = pte_span(level);
		uint64_t large = level > 1 ? PTE_LARGE : 0;

		if (!entry)
			return -ENOMEM;
		do {
			*entry++ = phys | bits | large | PTE_PRESENT | PTE_GLOBAL | PTE_ACCESSED |
				   PTE_DIRTY;
			virt += span;
			phys += span;
		} while (virt < end && pte_index(virt, level) &&
			 fitting_level(virt, phys, end - virt) == level);
	}
	return 0;
}

static uint64_t round_up(uint64_t address)
{
	return (address + PTE_PAGE - 1) & -PTE_PAGE;
}

static void map_image_part(const char *from, const char *to, uint64_t bits)
{
	uint64_t start = (uint64_t)from;

	map_range(start, start - image_offset, round_up((uint64_t)to) - start, bits);
}

static void map_image(void)
{
	map_image_part(text_start, rodata_start, 0);
	map_image_part(rodata_start, data_start, pte_nx);
	map_image_part(data_start, image_end, pte_nx | PTE_WRITE);
	for (unsigned i = 0; i < BOOT_STACKS; i++)
		*entry_of(boot_stack_guards[i], 1) = 0;
}

/* Returns the physical address of an object in the kernel image. */
static uint64_t image_phys(const void *object)
{
	return (uint64_t)object - image_offset;
}

/* Maps [start, end) of RAM; the kernel's text and constants read-only. */
static void map_ram(uint64_t start, uint64_t end)
{
	uint64_t ro_start = image_phys(text_start), ro_end = image_phys(data_start);

	if (start < ro_end && end > ro_start) {
		map_range(DIRECT_MAP + start, start, ro_start - start, pte_nx | PTE_WRITE);
		map_range(DIRECT_MAP + ro_start, ro_start, ro_end - ro_start, pte_nx);
		start = ro_end;
	}
	map_range(DIRECT_MAP + start, start, end - start, pte_nx | PTE_WRITE);
}

static void map_all_ram(void)
{
	for (uint32_t i = 0; i < boot_info.nr_regions; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t start = round_up(region->base),
			 end = (region->base + region->bytes) & -PTE_PAGE;

		if (region->kind == BOOT_MEM_USABLE && start < end)
			map_ram(start, end);
	}
}

void paging_init(void)
{
	pte_nx = cpuid_has(CPUID_NX) ? PTE_NX : 0;
	largest_page = cpuid_has(CPUID_PAGE_1GB) ? 3 : 2;
	image_offset = (uint64_t)image_start - boot_info.kernel_base;
	boot_info.kernel_bytes = round_up(boot_info.kernel_bytes);
	paging_set_allocator(early_page, NULL);
	kernel_root = (uint64_t)early_page() - DIRECT_MAP;
	map_image();
	map_all_ram();
	/* New address spaces copy the root's upper half: these tables must exist from the start. */
	entry_of(STACK_REGION, 3);
	entry_of(DEVICE_MAP, 3);
	paging_load(kernel_root);
}

bool paging_has_giant(void)
{
	return largest_page == 3;
}

uint64_t paging_kernel_root(void)
{
	return kernel_root;
}

/* After start. */

uint64_t pte_cache_bits(enum paging_cache cache)
{
	static const uint64_t bits[] = {[PAGING_CACHED] = 0,
					[PAGING_COMBINING] = PTE_PWT,
					[PAGING_UNCACHED] = PTE_PCD | PTE_PWT};

	return bits[cache];
}

void *paging_map_device(uint64_t phys, uint64_t bytes, enum paging_cache cache)
{
	uint64_t start = phys & -PTE_PAGE, length = round_up(phys + bytes) - start;
	uint64_t large = pte_span(2), virt = device_next;

	/* Large pages need equal offsets within 2 MiB. */
	if (length >= large)
		virt += (start - virt) & (large - 1);
	if (map_range(virt, start, length, pte_nx | PTE_WRITE | pte_cache_bits(cache)))
		return NULL;
	device_next = virt + length;
	return (void *)(virt + phys - start);
}

bool paging_is_device(uint64_t start, uint64_t end)
{
	uint64_t phys, span;

	for (uint64_t virt = DEVICE_MAP; virt < device_next; virt += span ? span : PTE_PAGE) {
		span = paging_kernel_page(virt, &phys);
		if (span && phys < end && phys + span > start)
			return true;
	}
	return false;
}

int paging_map_kernel(uint64_t virt, uint64_t phys)
{
	return map_range(virt, phys, PTE_PAGE, pte_nx | PTE_WRITE);
}

uint64_t paging_unmap_kernel(uint64_t virt)
{
	uint64_t *entry = entry_of(virt, 1);
	uint64_t phys = *entry & PTE_ADDRESS;

	*entry = 0;
	invlpg(virt);
	return phys;
}
