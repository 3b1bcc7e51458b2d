/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads ELF symbol tables (System V ABI, "Symbol Table"); checks every number of the file before
 * its use. */
#include "apps/lib/symbols/symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/slurp.h"
#include "apps/lib/symbols/build_id.h"
#include "apps/lib/symbols/debug_file.h"
#include "apps/lib/symbols/ranges.h"

struct function {
	uint64_t start, end; /* addresses as linked */
	const char *name;
};

struct symbols {
	unsigned char *file;
	size_t size;
	const Elf64_Phdr *segments;
	const Elf64_Shdr *sections;
	unsigned nr_segments, nr_sections;
	struct ranges *offsets;     /* of the segments in the file */
	struct function *functions; /* by start */
	size_t nr_functions;
	struct ranges *addresses; /* of the functions */
	struct symbols *debug;    /* the file that the functions come from; NULL: this one */
};

static struct symbols *load(const char *path, bool is_debug);

/* Returns `count` entries of `each` bytes at `offset`, or NULL if they are not inside the file, or
 * not aligned as their words must be. */
static const void *table(const struct symbols *s, uint64_t offset, uint64_t count, size_t each)
{
	if (each > 1 && offset % sizeof(uint64_t))
		return NULL;
	if (offset > s->size || count > (s->size - offset) / each)
		return NULL;
	return s->file + offset;
}

static const Elf64_Shdr *find_section(const struct symbols *s, uint32_t type)
{
	for (unsigned i = 0; i < s->nr_sections; i++) {
		const Elf64_Shdr *section = &s->sections[i];

		if (section->sh_type == type && section->sh_link < s->nr_sections &&
		    table(s, section->sh_offset, section->sh_size, 1))
			return section;
	}
	return NULL;
}

/* True for functions, and for labels of assembly code. */
static bool wanted(const Elf64_Sym *symbol, const char *name)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE && *name &&
	       *name != '.' && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Sorts by address; at one address labels come first, because the search finds the last. */
static int by_address(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if ((a->end > a->start) != (b->end > b->start))
		return a->end > a->start ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void read_functions(struct symbols *s, const Elf64_Shdr *section, const Elf64_Shdr *strings)
{
	const Elf64_Sym *symbols = table(s, section->sh_offset, section->sh_size, 1);
	const char *names = table(s, strings->sh_offset, strings->sh_size, 1);
	size_t nr = section->sh_size / sizeof(*symbols);

	if (!names || !strings->sh_size || names[strings->sh_size - 1])
		return;
	s->functions = calloc(nr + 1, sizeof(*s->functions));
	for (size_t i = 0; s->functions && i < nr; i++) {
		const Elf64_Sym *symbol = &symbols[i];

		if (symbol->st_name >= strings->sh_size || !wanted(symbol, names + symbol->st_name))
			continue;
		s->functions[s->nr_functions++] = (struct function){
		    symbol->st_value, symbol->st_value + symbol->st_size, names + symbol->st_name};
	}
	qsort(s->functions, s->nr_functions, sizeof(*s->functions), by_address);
}

/* Returns the next notes from section *index on, of `*size` bytes, and increases *index; NULL:
 * there are no more. */
static const unsigned char *next_notes(const struct symbols *s, unsigned *index, size_t *size)
{
	while (*index < s->nr_sections) {
		const Elf64_Shdr *section = &s->sections[(*index)++];

		*size = section->sh_size;
		if (section->sh_type == SHT_NOTE && table(s, section->sh_offset, *size, 1))
			return table(s, section->sh_offset, *size, 1);
	}
	return NULL;
}

/* Takes the functions of the file's separate debug file, if there is one: their addresses are as
 * linked, which are equal in both. That file stays in memory, for the names. */
static void read_debug_file(struct symbols *s)
{
	const unsigned char *notes;
	size_t size;

	for (unsigned i = 0; !s->nr_functions && (notes = next_notes(s, &i, &size));) {
		char *path = debug_file_find(notes, size);
		struct symbols *debug = path ? load(path, true) : NULL;

		free(path);
		if (!debug)
			continue;
		s->debug = debug;
		s->functions = debug->functions;
		s->nr_functions = debug->nr_functions;
	}
}

/* `is_debug`: the file is a debug file itself. */
static bool read_tables(struct symbols *s, bool is_debug)
{
	const Elf64_Ehdr *header = table(s, 0, 1, sizeof(*header));
	const Elf64_Shdr *symtab;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
		return false;
	s->segments = table(s, header->e_phoff, header->e_phnum, sizeof(*s->segments));
	s->nr_segments = s->segments ? header->e_phnum : 0;
	s->sections = table(s, header->e_shoff, header->e_shnum, sizeof(*s->sections));
	s->nr_sections = s->sections ? header->e_shnum : 0;
	symtab = find_section(s, SHT_SYMTAB);
	if (!symtab && !is_debug)
		read_debug_file(s);
	if (!symtab && !s->nr_functions)
		symtab = find_section(s, SHT_DYNSYM);
	if (symtab)
		read_functions(s, symtab, &s->sections[symtab->sh_link]);
	return true;
}

static struct ranges *segment_offsets(const struct symbols *s)
{
	struct range *range = calloc(s->nr_segments + 1, sizeof(*range));
	struct ranges *offsets;

	for (unsigned i = 0; range && i < s->nr_segments; i++)
		if (s->segments[i].p_type == PT_LOAD)
			range[i] =
			    (struct range){s->segments[i].p_offset,
					   s->segments[i].p_offset + s->segments[i].p_filesz};
	offsets = range ? ranges_new(range, s->nr_segments) : NULL;
	free(range);
	return offsets;
}

/* Where a function ends; a label of no size ends at the next one. */
static uint64_t end_of(const struct symbols *s, size_t i)
{
	const struct function *function = &s->functions[i];

	if (function->end != function->start)
		return function->end;
	return i + 1 < s->nr_functions ? function[1].start : UINT64_MAX;
}

static struct ranges *function_addresses(const struct symbols *s)
{
	struct range *range = calloc(s->nr_functions + 1, sizeof(*range));
	struct ranges *addresses;

	for (size_t i = 0; range && i < s->nr_functions; i++)
		range[i] = (struct range){s->functions[i].start, end_of(s, i)};
	addresses = range ? ranges_new(range, s->nr_functions) : NULL;
	free(range);
	return addresses;
}

static struct symbols *load(const char *path, bool is_debug)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->file = slurp(path, &s->size);
	if (!s->file || !read_tables(s, is_debug)) {
		symbols_free(s);
		return NULL;
	}
	s->offsets = segment_offsets(s);
	s->addresses = function_addresses(s);
	return s;
}

struct symbols *symbols_load(const char *path)
{
	return load(path, false);
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	if (s->debug)
		symbols_free(s->debug);
	else
		free(s->functions);
	ranges_free(s->offsets);
	ranges_free(s->addresses);
	free(s->file);
	free(s);
}

/* Returns the linked address of file offset `offset`; 0: none. */
static uint64_t address_of(const struct symbols *s, uint64_t offset)
{
	size_t i = ranges_find(s->offsets, offset);

	return i == RANGES_NONE ? 0 : s->segments[i].p_vaddr + (offset - s->segments[i].p_offset);
}

/* Returns the function that contains the byte, or NULL. */
static const struct function *function_at(const struct symbols *s, uint64_t address)
{
	size_t i = ranges_find(s->addresses, address);

	return i == RANGES_NONE ? NULL : &s->functions[i];
}

bool symbols_offset(const struct symbols *s, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < s->nr_segments; i++) {
		const Elf64_Phdr *segment = &s->segments[i];

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    address - segment->p_vaddr >= segment->p_filesz)
			continue;
		*offset = address - segment->p_vaddr + segment->p_offset;
		return true;
	}
	return false;
}

bool symbols_has_id(const struct symbols *s, const unsigned char *id, size_t size)
{
	size_t notes_size, found_size;
	const unsigned char *notes = NULL, *found;

	for (unsigned i = 0; (notes = next_notes(s, &i, &notes_size));) {
		found = build_id(notes, notes_size, &found_size);
		if (found && found_size == size && !memcmp(found, id, size))
			return true;
	}
	return false;
}

const char *symbols_find(const struct symbols *s, uint64_t offset)
{
	uint64_t address = address_of(s, offset);
	const struct function *function = address ? function_at(s, address) : NULL;

	return function ? function->name : NULL;
}

bool symbols_range(const struct symbols *s, uint64_t offset, uint64_t *address, uint64_t *start,
		   uint64_t *end)
{
	const struct function *function;

	*address = address_of(s, offset);
	function = *address ? function_at(s, *address) : NULL;
	if (!function)
		return false;
	*start = function->start;
	*end = end_of(s, (size_t)(function - s->functions));
	if (*end == UINT64_MAX) /* the last label */
		*end = *address + 1;
	return *end > *start;
}

const char *symbols_at(const struct symbols *s, uint64_t address, uint64_t *start)
{
	const struct function *function = function_at(s, address);

	if (!function)
		return NULL;
	*start = function->start;
	return function->name;
}

const char *symbols_name(const struct symbols *s, size_t index)
{
	return index < s->nr_functions ? s->functions[index].name : NULL;
}

bool symbols_named(const struct symbols *s, const char *name, uint64_t *address)
{
	for (size_t i = 0; i < s->nr_functions; i++)
		if (!strcmp(s->functions[i].name, name)) {
			*address = s->functions[i].start;
			return true;
		}
	return false;
}
