/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiboot 1: the header that a kernel is known by, and what it is told. Multiboot specification
 * 0.6.96, 3.1 to 3.3. */
#include "visor/start/guest_image.h"
#include "visor/base/lib.h"

#define HEADER_MAGIC 0x1badb002u
#define ENTRY_MAGIC  0x2badb002u
#define SEARCH_BYTES 8192
#define INFO_MEMORY  (1u << 0)
#define INFO_CMDLINE (1u << 2)
#define INFO_MODULES (1u << 3)
#define INFO_MAP     (1u << 6)
#define INFO_LOADER  (1u << 9)
#define LOW_BYTES    (640u << 10)
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
	uint32_t size; /* of what follows */
	uint64_t base, bytes;
	uint32_t kind;
};

struct room {
	struct multiboot_info info;
	struct multiboot_module module;
	struct multiboot_region map[MAP_REGIONS];
	char loader[16];
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

/* The memory from 1 MiB on that is in one piece. */
static uint32_t high_kib(const struct memory_map *map)
{
	for (unsigned i = 0; i < map->nr; i++) {
		const struct pvh_region *r = &map->regions[i];

		if (r->kind == PVH_MEMORY_USABLE && r->base <= HIGH_BASE &&
		    r->base + r->bytes > HIGH_BASE)
			return (uint32_t)((r->base + r->bytes - HIGH_BASE) >> 10);
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

struct guest_entry multiboot_enter(uint32_t entry, const struct guest_facts *facts)
{
	struct room *room = facts->room;
	uint32_t initrd = (uint32_t)facts->initrd.base;

	memcpy(room->loader, "barepmu", sizeof("barepmu"));
	room->info = (struct multiboot_info){
	    .flags = INFO_MEMORY | INFO_CMDLINE | INFO_MODULES | INFO_MAP | INFO_LOADER,
	    .low_kib = LOW_BYTES >> 10,
	    .high_kib = high_kib(facts->map),
	    .cmdline = (uint32_t)(uint64_t)facts->cmdline,
	    .nr_modules = initrd != 0,
	    .modules = (uint32_t)(uint64_t)&room->module,
	    .loader = (uint32_t)(uint64_t)room->loader,
	};
	room->module = (struct multiboot_module){
	    .base = initrd,
	    .end = initrd + (uint32_t)facts->initrd.bytes,
	};
	fill_map(room, facts->map);
	return (struct guest_entry){
	    .rip = entry, .rax = ENTRY_MAGIC, .rbx = (uint32_t)(uint64_t)&room->info};
}
