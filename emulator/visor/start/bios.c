/* SPDX-License-Identifier: BSD-2-Clause */
/* INT 15H's memory maps. ACPI specification 6.4, 15.1 (E820H); Ralf Brown's interrupt list (E801H,
 * 88H). */
#include "emulator/visor/start/bios.h"

#include <stddef.h>

#include "emulator/visor/base/lib.h"

#define CONVENTIONAL_END 0xa0000u
#define VECTOR_15        (4u * 0x15)
#define BASE_MEMORY_KIB  0x413u /* the BIOS data area's word, which INT 12H reads */
#define PAGE_BYTES       4096u
#define KIB              1024u
#define EXTENDED         (1ull << 20)
#define ABOVE_16M        (16ull << 20)
#define BLOCK_BYTES      (64u << 10)
#define MOST_OF_88       (63u << 10) /* KiB; maximum that SeaBIOS reports */
#define WORD_MAX         0xffffu

extern const char bios_stub[]; /* bios_stub.asm */
extern const uint64_t bios_stub_bytes;

struct __attribute__((packed)) e820_entry {
	uint64_t base, bytes;
	uint32_t kind;
};

/* After the stub: bios_stub.asm has these offsets. */
struct __attribute__((packed)) answers {
	uint32_t old; /* the BIOS's own vector */
	uint32_t nr;
	uint16_t below_16m, above_16m; /* from 1 MiB, in KiB; from 16 MiB, in blocks of 64 KiB */
	uint16_t extended;             /* from 1 MiB, in KiB */
	uint16_t padding;
	struct e820_entry entries[MAP_REGIONS];
};

#define ANSWERS_OFFSET 0x100
#define ANSWER_AT(member, place) \
	_Static_assert(offsetof(struct answers, member) == (place), "bios_stub.asm")
ANSWER_AT(old, 0);
ANSWER_AT(nr, 4);
ANSWER_AT(below_16m, 8);
ANSWER_AT(above_16m, 10);
ANSWER_AT(extended, 12);
ANSWER_AT(entries, 16);
_Static_assert(ANSWERS_OFFSET == 0x100 && sizeof(struct e820_entry) == 20, "bios_stub.asm");
_Static_assert(ANSWERS_OFFSET + sizeof(struct answers) <= PAGE_BYTES, "one page");

/* Returns the end of the contiguous usable memory around `address`, or `address`. */
static uint64_t end_of_piece(const struct memory_map *map, uint64_t address)
{
	for (unsigned i = 0; i < map->nr; i++) {
		const struct pvh_region *r = &map->regions[i];

		if (r->kind == PVH_MEMORY_USABLE && r->base <= address &&
		    address - r->base < r->bytes)
			return r->base + r->bytes;
	}
	return address;
}

static uint16_t at_most(uint64_t value, uint64_t limit)
{
	return (uint16_t)(value < limit ? value : limit);
}

static void fill(struct answers *answers, const struct memory_map *map)
{
	uint64_t end = end_of_piece(map, EXTENDED);

	answers->nr = map->nr;
	for (unsigned i = 0; i < map->nr; i++)
		answers->entries[i] = (struct e820_entry){
		    map->regions[i].base, map->regions[i].bytes, map->regions[i].kind};
	answers->below_16m = at_most((end - EXTENDED) / KIB, (ABOVE_16M - EXTENDED) / KIB);
	answers->extended = at_most((end - EXTENDED) / KIB, MOST_OF_88);
	if (end > ABOVE_16M)
		answers->above_16m = at_most((end - ABOVE_16M) / BLOCK_BYTES, WORD_MAX);
}

bool bios_answer_by(struct memory_map *map)
{
	uint64_t end = end_of_piece(map, 0), base;
	struct answers *answers;
	uint32_t old, own;
	uint16_t kib;

	memcpy(&old, (const void *)(uint64_t)VECTOR_15, sizeof(old));
	if (!old || end > CONVENTIONAL_END || end < 2 * PAGE_BYTES)
		return true;
	base = (end - PAGE_BYTES) & ~(uint64_t)(PAGE_BYTES - 1);
	if (!map_reserve(map, (struct range){base, end - base}))
		return false;
	memcpy((void *)base, bios_stub, bios_stub_bytes);
	answers = (struct answers *)(base + ANSWERS_OFFSET);
	memset(answers, 0, sizeof(*answers));
	fill(answers, map);
	answers->old = old;
	own = (uint32_t)(base / 16) << 16;
	kib = (uint16_t)(base / KIB);
	memcpy((void *)(uint64_t)VECTOR_15, &own, sizeof(own));
	memcpy((void *)(uint64_t)BASE_MEMORY_KIB, &kib, sizeof(kib));
	return true;
}
