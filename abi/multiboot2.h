/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiboot2: what GRUB passes to a kernel. Multiboot2 specification 2.0, 3.6: boot information. */
#ifndef ABI_MULTIBOOT2_H
#define ABI_MULTIBOOT2_H

#include <stddef.h>
#include <stdint.h>

#define MULTIBOOT2_MAGIC 0x36d76289u /* in EAX at the entry */

enum multiboot2_tag_kind {
	MULTIBOOT2_END = 0,
	MULTIBOOT2_COMMAND_LINE = 1,
	MULTIBOOT2_MODULE = 3,
	MULTIBOOT2_MEMORY = 6,
	MULTIBOOT2_FRAMEBUFFER = 8,
};

/* Tags follow each other, each at a multiple of 8 bytes. */
struct multiboot2_info {
	uint32_t bytes, reserved;
};

struct multiboot2_tag {
	uint32_t kind, bytes;
};

struct multiboot2_module {
	struct multiboot2_tag tag;
	uint32_t start, end;
};

/* The kinds of regions are PVH's, which are the firmware's (E820). */
struct multiboot2_region {
	uint64_t base, bytes;
	uint32_t kind, reserved;
};

struct multiboot2_memory {
	struct multiboot2_tag tag;
	uint32_t region_bytes, version;
};

#define MULTIBOOT2_COLOURS 1 /* kind of a framebuffer */

struct multiboot2_framebuffer {
	struct multiboot2_tag tag;
	uint64_t base;
	uint32_t pitch, width, height;
	uint8_t bits, kind;
	uint16_t reserved;
	uint8_t red_shift, red_bits, green_shift, green_bits, blue_shift, blue_bits;
};

_Static_assert(offsetof(struct multiboot2_framebuffer, red_shift) == 32, "Multiboot2 3.6.12");

#endif
