/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's bzImage. Documentation/arch/x86/boot.rst and zero-page.rst: offsets, "The Real-Mode
 * Kernel Header", "32-bit boot protocol". */
#include "emulator/visor/base/console.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/start/guest_image.h"

#define SECTOR        512
#define OLDEST        0x202 /* protocol 2.02: takes its command line anywhere */
#define RELOCATABLE   0x20a /* 2.10: has the preferred address and the required size */
#define LOADED_HIGH   (1u << 0)
#define HAS_HEAP      (1u << 7)
#define HEADER_OFFSET 0x1f1 /* of the set-up header, in the file and in boot_params */
#define LOADER_OTHER  0xff
#define MAX_E820      128

/* The set-up header, from HEADER_OFFSET. */
struct __attribute__((packed)) setup_header {
	uint8_t setup_sectors;
	uint16_t root_flags;
	uint32_t system_size;
	uint16_t ram_size, video_mode, root_device, boot_flag;
	uint8_t jump, header_bytes; /* from 0x202 on */
	char magic[4];
	uint16_t version;
	uint32_t real_mode_switch;
	uint16_t start_system, kernel_version;
	uint8_t loader, load_flags;
	uint16_t move_bytes;
	uint32_t code32_start, ramdisk_base, ramdisk_bytes, bootsect_kludge;
	uint16_t heap_end;
	uint8_t loader_version, loader_type;
	uint32_t cmdline, ramdisk_last, alignment;
	uint8_t relocatable, min_alignment;
	uint16_t xload_flags;
	uint32_t cmdline_bytes, hardware_subarch;
	uint64_t hardware_subarch_data;
	uint32_t payload_offset, payload_bytes;
	uint64_t setup_data, preferred_address;
	uint32_t init_bytes, handover_offset;
};

_Static_assert(offsetof(struct setup_header, magic) + HEADER_OFFSET == 0x202, "boot.rst");
_Static_assert(offsetof(struct setup_header, cmdline) + HEADER_OFFSET == 0x228, "boot.rst");
_Static_assert(offsetof(struct setup_header, init_bytes) + HEADER_OFFSET == 0x260, "boot.rst");

struct __attribute__((packed)) e820_entry {
	uint64_t base, bytes;
	uint32_t kind;
};

struct __attribute__((packed)) boot_params {
	uint8_t before_rsdp[0x70];
	uint64_t rsdp;
	uint8_t before_e820[0x1e8 - 0x78];
	uint8_t nr_e820;
	uint8_t before_header[HEADER_OFFSET - 0x1e9];
	struct setup_header header;
	uint8_t behind_header[0x2d0 - HEADER_OFFSET - sizeof(struct setup_header)];
	struct e820_entry e820[MAX_E820];
};

_Static_assert(offsetof(struct boot_params, e820) == 0x2d0, "zero-page.rst");
_Static_assert(sizeof(struct boot_params) <= GUEST_ROOM, "room");

static const struct setup_header *header_of(struct blob file)
{
	return (const struct setup_header *)(file.data + HEADER_OFFSET);
}

bool bzimage_is(struct blob file)
{
	return file.bytes > sizeof(struct boot_params) &&
	       !memcmp(header_of(file)->magic, "HdrS", sizeof(header_of(file)->magic));
}

/* Older images: the set-up code in conventional memory, its stack below the command line, the rest
 * at 1 MiB. */
#define REAL_SEGMENT 0x1000u
#define REAL_BASE    (REAL_SEGMENT << 4)
#define REAL_ENTRY   0x20u /* paragraphs after the segment */
#define REAL_CMDLINE 0x20000u
#define REAL_STACK   (REAL_CMDLINE - REAL_BASE - 16)
#define HEAP_LESS    0x200 /* excluded from the header's heap_end */
#define OLD_ADDRESS  0x100000u

static bool starts_in_real_mode(struct blob file)
{
	return header_of(file)->version < RELOCATABLE;
}

static void copy_to(struct range target, const uint8_t *data, uint64_t bytes,
		    const struct memory_map *map, struct range taken)
{
	if (!map_usable(map, target) || ranges_overlap(target, taken))
		fail("the kernel wants memory that is not free: %lx, %lu bytes", target.base,
		     target.bytes);
	memcpy((void *)target.base, data, bytes);
}

uint32_t bzimage_load(struct blob file, const struct memory_map *map, struct range taken)
{
	const struct setup_header *header = header_of(file);
	uint64_t setup = (header->setup_sectors + 1ull) * SECTOR;
	struct range target = {header->preferred_address, header->init_bytes};

	if (header->version < OLDEST || !(header->load_flags & LOADED_HIGH))
		fail("the bzImage speaks boot protocol %x: %x is the oldest that will do",
		     header->version, OLDEST);
	if (setup > file.bytes || setup > REAL_STACK)
		fail("the bzImage is damaged");
	if (starts_in_real_mode(file)) {
		target = (struct range){OLD_ADDRESS, file.bytes - setup};
		copy_to((struct range){REAL_BASE, REAL_CMDLINE + CMDLINE_SIZE - REAL_BASE},
			file.data, setup, map, taken);
	}
	if (file.bytes - setup > target.bytes)
		fail("the bzImage is damaged");
	copy_to(target, file.data + setup, file.bytes - setup, map, taken);
	return (uint32_t)target.base;
}

static void fill_e820(struct boot_params *params, const struct memory_map *map)
{
	for (unsigned i = 0; i < map->nr && i < MAX_E820; i++)
		params->e820[params->nr_e820++] = (struct e820_entry){
		    map->regions[i].base, map->regions[i].bytes, map->regions[i].kind};
}

/* By the 16-bit protocol: the set-up code calls the BIOS. */
static struct guest_entry enter_real_mode(const struct guest_facts *facts)
{
	struct setup_header *header = (struct setup_header *)(uint64_t)(REAL_BASE + HEADER_OFFSET);

	memcpy((void *)(uint64_t)REAL_CMDLINE, facts->cmdline, strlen(facts->cmdline) + 1);
	header->loader = LOADER_OTHER;
	header->load_flags |= HAS_HEAP;
	header->heap_end = REAL_STACK - HEAP_LESS;
	header->cmdline = REAL_CMDLINE;
	header->ramdisk_base = (uint32_t)facts->initrd.base;
	header->ramdisk_bytes = (uint32_t)facts->initrd.bytes;
	return (struct guest_entry){.real_mode = true,
				    .segment = REAL_SEGMENT,
				    .code_segment = REAL_SEGMENT + REAL_ENTRY,
				    .rsp = REAL_STACK};
}

struct guest_entry bzimage_enter(struct blob file, uint32_t entry, const struct guest_facts *facts)
{
	struct boot_params *params = facts->room;
	size_t bytes = offsetof(struct setup_header, magic) + header_of(file)->header_bytes;

	if (starts_in_real_mode(file))
		return enter_real_mode(facts);
	memcpy(&params->header, header_of(file),
	       bytes < sizeof(params->header) ? bytes : sizeof(params->header));
	params->header.loader = LOADER_OTHER;
	params->header.code32_start = entry;
	params->header.cmdline = (uint32_t)(uint64_t)facts->cmdline;
	params->header.ramdisk_base = (uint32_t)facts->initrd.base;
	params->header.ramdisk_bytes = (uint32_t)facts->initrd.bytes;
	params->rsdp = facts->rsdp;
	fill_e820(params, facts->map);
	return (struct guest_entry){.rip = entry, .rsi = (uint32_t)(uint64_t)params};
}
