/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of code: units and their symbols. */
#include <stdlib.h>
#include <string.h>

#include "abi/page.h"
#include "host/lib/array.h"
#include "host/lib/text.h"
#include "host/profile/profile.h"

#define SECTOR 0x7c00
#define LEGACY 0x100000

/* The guest chose the name, which becomes a file's: it has no directory and no quotes. */
static char *safe_name(const char *name)
{
	char *copy = format_text("%s", *name ? name : "_");

	for (char *at = copy; *at; at++)
		if (*at <= ' ' || *at > '~' || strchr("/\"'`$;|&<>*?", *at))
			*at = '_';
	if (*copy == '.')
		*copy = '_';
	return copy;
}

struct unit *unit_new(struct profile *profile, const char *name, uint64_t base, uint64_t size)
{
	struct unit *unit = allocate(sizeof(*unit));

	profile->units = array_grow(profile->units, profile->nr_units, sizeof(struct unit *));
	*unit = (struct unit){
	    .name = safe_name(name), .base = base, .size = size, .image = PROFILE_NONE};
	profile->units[profile->nr_units++] = unit;
	return unit;
}

void unit_symbol(struct unit *unit, uint64_t address, uint64_t size, const char *name)
{
	unit->symbols = array_grow(unit->symbols, unit->nr_symbols, sizeof(*unit->symbols));
	unit->symbols[unit->nr_symbols++] = (struct symbol){address, size, format_text("%s", name)};
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

/* Keeps the first of several names of one address. */
void unit_sort(struct unit *unit)
{
	size_t n = 0;

	if (!unit->nr_symbols)
		return;
	qsort(unit->symbols, unit->nr_symbols, sizeof(*unit->symbols), by_address);
	for (size_t i = 1; i < unit->nr_symbols; i++)
		if (unit->symbols[i].address != unit->symbols[n].address)
			unit->symbols[++n] = unit->symbols[i];
	unit->nr_symbols = n + 1;
	for (size_t i = 0; i < unit->nr_symbols; i++) {
		uint64_t next = i + 1 < unit->nr_symbols ? unit->symbols[i + 1].address
							 : unit->base + unit->size,
			 size = next - unit->symbols[i].address;

		if (!unit->symbols[i].size || unit->symbols[i].size > size)
			unit->symbols[i].size = size;
	}
}

const struct symbol *unit_find(const struct unit *unit, uint64_t address)
{
	size_t low = 0, high = unit->nr_symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - unit->symbols[low - 1].address >= unit->symbols[low - 1].size)
		return NULL;
	return &unit->symbols[low - 1];
}

/* ---- blocks' units ---- */

/* Returns a name for a page of unnamed code. */
static char *page_name(uint64_t page)
{
	if (page < LEGACY && page >= 0xc0000)
		return format_text("rom-%05lx", (unsigned long)page);
	if (page == (SECTOR & ~(uint64_t)(PAGE - 1)))
		return format_text("boot-sector");
	return format_text("page-%lx", (unsigned long)page);
}

struct pages {
	struct unit **slots;
	size_t room;
};

static struct unit *page_unit(struct profile *profile, struct pages *pages, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1);
	size_t i = (page >> 12) * 0x9e3779b97f4a7c15 >> 32 & (pages->room - 1);
	char *name;

	while (pages->slots[i] && pages->slots[i]->base != page)
		i = (i + 1) & (pages->room - 1);
	if (!pages->slots[i]) {
		name = page_name(page);
		pages->slots[i] = unit_new(profile, name, page, PAGE);
		free(name);
	}
	return pages->slots[i];
}

static struct unit *image_unit(struct profile *profile, uint32_t id)
{
	struct image *image = &profile->images[id];

	if (!image->unit) {
		char *name = *image->name
				 ? format_text("%s", image->name)
				 : format_text("image-%lx", (unsigned long)image->record->base);

		image->unit = unit_new(profile, name, image->record->base, image->record->size);
		image->unit->image = id;
		free(name);
	}
	return image->unit;
}

/* Returns the unit of a symbol file that contains the address, or NULL. */
static struct unit *file_unit(const struct profile *profile, size_t nr, uint64_t address)
{
	for (size_t i = 0; i < nr; i++)
		if (profile->units[i]->image == PROFILE_NONE &&
		    address - profile->units[i]->base < profile->units[i]->size)
			return profile->units[i];
	return NULL;
}

/* The first code of a program runs before its header can be read. Returns the only program, or
 * library, at an address; PROFILE_NONE: there is none, or several. */
static uint32_t program_at(const struct profile *profile, uint64_t address)
{
	uint32_t found = PROFILE_NONE;

	for (uint32_t i = 0; i < profile->nr_images; i++) {
		const struct profile_image *record = profile->images[i].record;

		if (!record || record->kind != IMAGE_ELF || address - record->base >= record->size)
			continue;
		if (found != PROFILE_NONE)
			return PROFILE_NONE;
		found = i;
	}
	return found;
}

/* Functions of units without symbol files are the targets of calls. */
static void name_functions(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		const struct block *block = &profile->blocks[i];
		char *name;

		if (!block->unit || block->unit->named || !block->called)
			continue;
		name = format_text("%s+0x%lx", block->unit->name,
				   (unsigned long)(block->record->start - block->unit->base));
		unit_symbol(block->unit, block->record->start, 0, name);
		free(name);
	}
	for (size_t i = 0; i < profile->nr_units; i++)
		if (!profile->units[i]->named) {
			char *name = format_text("%s+0x0", profile->units[i]->name);

			unit_symbol(profile->units[i], profile->units[i]->base, 0, name);
			unit_sort(profile->units[i]);
			free(name);
		}
}

void units_resolve(struct profile *profile)
{
	struct pages pages = {.room = 1024};
	size_t files = profile->nr_units;

	while (pages.room < 2 * (size_t)profile->nr_blocks)
		pages.room *= 2;
	pages.slots = allocate(pages.room * sizeof(struct unit *));
	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		struct block *block = &profile->blocks[i];

		if (!block->record)
			continue;
		block->unit = file_unit(profile, files, block->record->start);
		if (block_image(profile, block) && profile->images[block->record->image].unit)
			block->unit = profile->images[block->record->image].unit;
		if (!block->unit && block_image(profile, block))
			block->unit = image_unit(profile, block->record->image);
		if (!block->unit && program_at(profile, block->record->start) != PROFILE_NONE)
			block->unit =
			    image_unit(profile, program_at(profile, block->record->start));
		if (!block->unit)
			block->unit = page_unit(profile, &pages, block->record->start);
	}
	free(pages.slots);
	name_functions(profile);
}
