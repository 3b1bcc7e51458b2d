/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry point for BIOS machines: converts GRUB's boot information to boot_info. Multiboot2
 * specification 2.0, 3.6. */
#include "abi/multiboot2.h"

#include "abi/pvh.h"
#include "arch/x86/paging/paging.h"
#include "boot/boot.h"
#include "kernel/base/string.h"

#define TAG_ALIGN  8u
#define PAGE_BYTES 4096ul

static void take_memory(const struct multiboot2_memory *memory)
{
	const char *at = (const char *)(memory + 1),
		   *end = (const char *)memory + memory->tag.bytes;

	for (; at + memory->region_bytes <= end && memory->region_bytes;
	     at += memory->region_bytes) {
		const struct multiboot2_region *region = (const void *)at;

		boot_region_add(region->base, region->bytes, region->kind);
	}
}

/* Only screens of 32 bits a pixel are drawn on. */
static void take_framebuffer(const struct multiboot2_framebuffer *screen)
{
	if (screen->kind != MULTIBOOT2_COLOURS || screen->bits != 32)
		return;
	boot_info.framebuffer = (struct boot_framebuffer){.base = screen->base,
							  .width = screen->width,
							  .height = screen->height,
							  .stride = screen->pitch / 4,
							  .red_shift = screen->red_shift,
							  .green_shift = screen->green_shift,
							  .blue_shift = screen->blue_shift};
}

static void take_tag(const struct multiboot2_tag *tag)
{
	const struct multiboot2_module *module = (const void *)tag;

	switch (tag->kind) {
	case MULTIBOOT2_COMMAND_LINE:
		strlcpy(boot_info.cmdline, (const char *)(tag + 1), BOOT_CMDLINE_SIZE);
		break;
	case MULTIBOOT2_MODULE:
		boot_info.initrd_base = module->start;
		boot_info.initrd_bytes = module->end - module->start;
		break;
	case MULTIBOOT2_MEMORY:
		take_memory((const void *)tag);
		break;
	case MULTIBOOT2_FRAMEBUFFER:
		take_framebuffer((const void *)tag);
		break;
	}
}

/* Moves the initrd to the end of its memory: GRUB puts it right after the kernel, where the kernel
 * makes its first page tables. */
static void move_initrd(void)
{
	uint64_t base = boot_info.initrd_base, bytes = boot_info.initrd_bytes;

	for (uint32_t i = 0; i < boot_info.nr_regions && bytes; i++) {
		const struct boot_region *region = &boot_info.regions[i];
		uint64_t to = (region->base + region->bytes - bytes) & ~(PAGE_BYTES - 1);

		if (region->kind != BOOT_MEM_USABLE || base < region->base ||
		    base + bytes > region->base + region->bytes || to <= base)
			continue;
		memmove((void *)(DIRECT_MAP + to), (void *)(DIRECT_MAP + base), bytes);
		boot_info.initrd_base = to;
		return;
	}
}

void boot_from_multiboot2(uint64_t info, uint64_t tsc)
{
	const struct multiboot2_info *all = (const void *)(DIRECT_MAP + info);
	const struct multiboot2_tag *tag = (const void *)(all + 1);

	boot_begin(tsc);
	boot_info.by_bios = 1;
	while ((const char *)tag < (const char *)all + all->bytes && tag->kind != MULTIBOOT2_END) {
		take_tag(tag);
		tag = (const void *)((const char *)tag +
				     ((tag->bytes + TAG_ALIGN - 1) & ~(TAG_ALIGN - 1)));
	}
	move_initrd();
	boot_regions_finish(&boot_info);
	kernel_main();
}
