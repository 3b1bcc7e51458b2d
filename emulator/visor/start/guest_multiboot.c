/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiboot 1: the header of a kernel, and its boot information. Multiboot specification 0.6.96,
 * 3.1 to 3.3. */
#include "emulator/visor/base/lib.h"
#include "emulator/visor/start/guest_image.h"

#define HEADER_MAGIC 0x1badb002u
#define ENTRY_MAGIC  0x2badb002u
#define SEARCH_BYTES 8192
#define INFO_MEMORY  (1u << 0)
#define INFO_CMDLINE (1u << 2)
#define INFO_MODULES (1u << 3)
#define INFO_MAP     (1u << 6)
#define INFO_LOADER  (1u << 9)
#define HIGH_BASE    (1u << 20)

struct multiboot_header {
	uint32_t magic, flags, checksum;
};

struct multiboot_info {
	uint32_t flags, low_kib, high_kib, boot_device, cmdline, nr_modules, modules, symbols[4],
	    map_bytes, map, drives_bytes, drives, config, loader;
};

struct multiboot_module {
	uint32_t base, end, name, reserved;
};

struct __attribute__((packed)) multiboot_region {
	uint32_t size; /* of the rest */
	uint64_t base, bytes;
	uint32_t kind;
};

struct room {
	struct multiboot_info info;
	struct multiboot_module module;
	struct multiboot_region map[MAP_REGIONS];
	char loader[16];
	char cmdline[2 * CMDLINE_SIZE], module_name[CMDLINE_SIZE];
};

_Static_assert(sizeof(struct room) <= GUEST_ROOM, "room");

bool multiboot_is(struct blob file)
{
	uint64_t end = file.bytes < SEARCH_BYTES ? file.bytes : SEARCH_BYTES;

	for (uint64_t at = 0; at + sizeof(struct multiboot_header) <= end; at += 4) {
		const struct multiboot_header *h =
		    (const struct multiboot_header *)(file.data + at);

		if (h->magic == HEADER_MAGIC && !(h->magic + h->flags + h->checksum))
			return true;
	}
	return false;
}

/* Returns the contiguous memory from `base` on. */
static uint32_t kib_from(const struct memory_map *map, uint64_t base)
{
	for (unsigned i = 0; i < map->nr; i++) {
		const struct pvh_region *r = &map->regions[i];

		if (r->kind == PVH_MEMORY_USABLE && r->base <= base && r->base + r->bytes > base)
			return (uint32_t)((r->base + r->bytes - base) >> 10);
	}
	return 0;
}

static void fill_map(struct room *room, const struct memory_map *map)
{
	for (unsigned i = 0; i < map->nr; i++)
		room->map[i] = (struct multiboot_region){
		    sizeof(room->map[0]) - sizeof(room->map[0].size), map->regions[i].base,
		    map->regions[i].bytes, map->regions[i].kind};
	room->info.map = (uint32_t)(uint64_t)room->map;
	room->info.map_bytes = (uint32_t)(map->nr * sizeof(room->map[0]));
}

static void copy_name(char to[CMDLINE_SIZE], struct blob name)
{
	uint64_t bytes = name.bytes < CMDLINE_SIZE ? name.bytes : CMDLINE_SIZE - 1;

	memcpy(to, name.data, bytes);
	to[bytes] = 0;
}

/* As other loaders do: the file's name comes first. */
static void fill_cmdline(struct room *room, const struct guest_facts *facts)
{
	size_t at;

	copy_name(room->cmdline, facts->kernel_name);
	at = strlen(room->cmdline);
	room->cmdline[at] = ' ';
	memcpy(&room->cmdline[at + 1], facts->cmdline, strlen(facts->cmdline) + 1);
	copy_name(room->module_name, facts->initrd_name);
}

struct guest_entry multiboot_enter(uint32_t entry, const struct guest_facts *facts)
{
	struct room *room = facts->room;
	uint32_t initrd = (uint32_t)facts->initrd.base;

	memcpy(room->loader, "barepmu", sizeof("barepmu"));
	room->info = (struct multiboot_info){
	    .flags = INFO_MEMORY | INFO_CMDLINE | INFO_MODULES | INFO_MAP | INFO_LOADER,
	    .low_kib = kib_from(facts->map, 0),
	    .high_kib = kib_from(facts->map, HIGH_BASE),
	    .cmdline = (uint32_t)(uint64_t)room->cmdline,
	    .nr_modules = initrd != 0,
	    .modules = (uint32_t)(uint64_t)&room->module,
	    .loader = (uint32_t)(uint64_t)room->loader,
	};
	room->module = (struct multiboot_module){
	    .base = initrd,
	    .end = initrd + (uint32_t)facts->initrd.bytes,
	    .name = (uint32_t)(uint64_t)room->module_name,
	};
	fill_map(room, facts->map);
	fill_cmdline(room, facts);
	return (struct guest_entry){
	    .rip = entry, .rax = ENTRY_MAGIC, .rbx = (uint32_t)(uint64_t)&room->info};
}
