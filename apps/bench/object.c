/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads relocatable object files of x86-64, alone or from an archive, with the objects that a
 * function needs: ELF-64 and its supplement for AMD64 (relocations, chapter 4.4); archives in the
 * format of ar(5).
 */
#include <ar.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "apps/bench/bench.h"
#include "apps/lib/slurp.h"

#define MOST_OBJECTS 4096
#define SECTION_MAX  (1ul << 30) /* bytes, and of its alignment */

struct object {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Shdr *sections;
	unsigned nr_sections;
	const Elf64_Sym *symbols;
	size_t nr_symbols;
	const char *names;
	uint64_t *addresses; /* of the loaded sections; NULL: not loaded */
	bool wanted;
};

static struct object *objects; /* MOST_OBJECTS of them */
static int nr_objects;
static const char *file_name;

bool object_is(const uint8_t *bytes, size_t size)
{
	return size >= SARMAG && (!memcmp(bytes, ELFMAG, SELFMAG) || !memcmp(bytes, ARMAG, SARMAG));
}

static _Noreturn void damaged(void)
{
	fail("'%s' is damaged: an offset lies beyond its end", file_name);
}

/* Returns `bytes` at `offset` of the object; dies if they are not inside it. */
static const void *at(const struct object *o, uint64_t offset, uint64_t bytes)
{
	if (offset > o->size || bytes > o->size - offset)
		damaged();
	return o->bytes + offset;
}

/* As at(), for the words of a table. */
static const void *table_at(const struct object *o, uint64_t offset, uint64_t bytes)
{
	if (offset % sizeof(uint64_t))
		damaged();
	return at(o, offset, bytes);
}

/* ---- reading ---- */

static void find_symbols(struct object *o)
{
	for (unsigned i = 0; i < o->nr_sections; i++) {
		const Elf64_Shdr *s = &o->sections[i];
		const Elf64_Shdr *names;

		if (s->sh_type != SHT_SYMTAB)
			continue;
		if (s->sh_link >= o->nr_sections)
			damaged();
		names = &o->sections[s->sh_link];
		o->symbols = table_at(o, s->sh_offset, s->sh_size);
		o->nr_symbols = s->sh_size / sizeof(Elf64_Sym);
		o->names = at(o, names->sh_offset, names->sh_size);
		if (!names->sh_size || o->names[names->sh_size - 1])
			damaged();
		for (size_t n = 0; n < o->nr_symbols; n++)
			if (o->symbols[n].st_name >= names->sh_size)
				damaged();
	}
}

static void add_object(const uint8_t *bytes, size_t size)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	struct object *o;

	if (size < sizeof(*header) || memcmp(bytes, ELFMAG, SELFMAG))
		return; /* an archive's table of symbols */
	if (nr_objects == MOST_OBJECTS)
		fail("'%s' has more than %d members", file_name, MOST_OBJECTS);
	if (header->e_type != ET_REL || header->e_machine != EM_X86_64)
		fail("'%s' is no relocatable object file of x86-64: cc -c makes one", file_name);
	o = &objects[nr_objects];
	*o = (struct object){.bytes = bytes, .size = size, .nr_sections = header->e_shnum};
	o->sections = table_at(o, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
	find_symbols(o);
	nr_objects++;
}

static void add_archive(const uint8_t *bytes, size_t size)
{
	size_t offset = SARMAG, length;

	while (offset + sizeof(struct ar_hdr) <= size) {
		const struct ar_hdr *header = (const struct ar_hdr *)(bytes + offset);
		uint8_t *copy;

		length = strtoul(header->ar_size, NULL, 10);
		offset += sizeof(*header);
		if (length > size - offset)
			damaged();
		copy = need_memory(length + 1); /* members are only 2-byte aligned */
		memcpy(copy, bytes + offset, length);
		add_object(copy, length);
		offset += length + length % 2;
	}
}

/* ---- symbols ---- */

static const char *symbol_name(const struct object *o, const Elf64_Sym *symbol)
{
	return o->names + symbol->st_name;
}

/* Returns the global definition of the symbol; strong definitions before weak ones. */
static const Elf64_Sym *find_global(const char *name, struct object **owner)
{
	const Elf64_Sym *weak = NULL;

	for (int i = 0; i < nr_objects; i++)
		for (size_t s = 0; s < objects[i].nr_symbols; s++) {
			const Elf64_Sym *symbol = &objects[i].symbols[s];
			unsigned bind = ELF64_ST_BIND(symbol->st_info);

			if (symbol->st_shndx == SHN_UNDEF || bind == STB_LOCAL ||
			    strcmp(symbol_name(&objects[i], symbol), name))
				continue;
			if (bind == STB_GLOBAL || !weak) {
				weak = symbol;
				*owner = &objects[i];
			}
			if (bind == STB_GLOBAL)
				return symbol;
		}
	return weak;
}

/* ---- loading ---- */

static void load_section(struct object *o, unsigned i)
{
	const Elf64_Shdr *s = &o->sections[i];
	uint64_t align = s->sh_addralign > 16 ? s->sh_addralign : 16;
	uint8_t *memory;

	if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size)
		return;
	if (align & (align - 1) || align > SECTION_MAX || s->sh_size > SECTION_MAX)
		damaged();
	memory = low_memory(s->sh_size + align);
	memory = (uint8_t *)(((uint64_t)memory + align - 1) & -align);
	if (s->sh_type != SHT_NOBITS)
		memcpy(memory, at(o, s->sh_offset, s->sh_size), s->sh_size);
	o->addresses[i] = (uint64_t)memory;
}

static void want(struct object *o)
{
	if (o->wanted)
		return;
	o->wanted = true;
	o->addresses = need_memory(o->nr_sections * sizeof(uint64_t));
	for (unsigned i = 0; i < o->nr_sections; i++)
		load_section(o, i);
	for (size_t i = 0; i < o->nr_symbols; i++) { /* the symbols that it needs from others */
		struct object *owner;

		if (o->symbols[i].st_shndx == SHN_UNDEF && *symbol_name(o, &o->symbols[i]) &&
		    find_global(symbol_name(o, &o->symbols[i]), &owner))
			want(owner);
	}
}

static uint64_t defined_address(const struct object *o, const Elf64_Sym *symbol)
{
	const char *name = symbol_name(o, symbol);

	if (symbol->st_shndx == SHN_ABS)
		return symbol->st_value;
	if (symbol->st_shndx >= o->nr_sections)
		fail("'%s': '%s' is a common symbol: compile with -fno-common", file_name, name);
	return o->addresses[symbol->st_shndx] + symbol->st_value;
}

/* Undefined weak symbols are 0. */
static uint64_t symbol_address(const struct object *o, const Elf64_Sym *symbol)
{
	const Elf64_Sym *global;
	struct object *owner;

	if (symbol->st_shndx != SHN_UNDEF)
		return defined_address(o, symbol);
	global = find_global(symbol_name(o, symbol), &owner);
	if (global)
		return defined_address(owner, global);
	if (ELF64_ST_BIND(symbol->st_info) != STB_WEAK)
		fail("'%s' needs '%s', which it does not define", file_name,
		     symbol_name(o, symbol));
	return 0;
}

#define GOT_BYTES 65536

/* The global offset table. */
static uint64_t *got;
static unsigned got_used;

/* Returns the address of a word with this address, for GOTPCREL. */
static uint64_t got_entry(uint64_t address)
{
	if (!got)
		got = low_memory(GOT_BYTES);
	if (got_used == GOT_BYTES / sizeof(*got))
		fail("'%s' takes too many addresses", file_name);
	got[got_used] = address;
	return (uint64_t)&got[got_used++];
}

static void relocate(const struct object *o, uint64_t section, const Elf64_Rela *r)
{
	const Elf64_Sym *symbol = &o->symbols[ELF64_R_SYM(r->r_info)];
	uint64_t place = section + r->r_offset, value;

	value = symbol_address(o, symbol) + (uint64_t)r->r_addend;
	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_NONE:
		return;
	case R_X86_64_64:
		memcpy((void *)place, &value, 8);
		return;
	case R_X86_64_PC64:
		value -= place;
		memcpy((void *)place, &value, 8);
		return;
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		value = got_entry(value - (uint64_t)r->r_addend) + (uint64_t)r->r_addend - place;
		break;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		value -= place;
		break;
	case R_X86_64_32:
	case R_X86_64_32S:
		break;
	default:
		fail("'%s' has relocations of type %lu, which are not known here", file_name,
		     (unsigned long)ELF64_R_TYPE(r->r_info));
	}
	memcpy((void *)place, &value, 4);
}

/* Whether the bytes that the relocation changes are in the section. */
static bool has_room(const Elf64_Shdr *section, const Elf64_Rela *r)
{
	unsigned type = ELF64_R_TYPE(r->r_info);
	uint64_t bytes = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;

	return r->r_offset <= section->sh_size && section->sh_size - r->r_offset >= bytes;
}

static void relocate_all(const struct object *o)
{
	for (unsigned i = 0; i < o->nr_sections; i++) {
		const Elf64_Shdr *s = &o->sections[i];
		const Elf64_Rela *r;

		if (s->sh_type != SHT_RELA || s->sh_info >= o->nr_sections ||
		    !o->addresses[s->sh_info])
			continue;
		r = table_at(o, s->sh_offset, s->sh_size);
		for (size_t n = 0; n < s->sh_size / sizeof(*r); n++) {
			if (ELF64_R_SYM(r[n].r_info) >= o->nr_symbols ||
			    !has_room(&o->sections[s->sh_info], &r[n]))
				damaged();
			relocate(o, o->addresses[s->sh_info], &r[n]);
		}
	}
}

/* The function's code was loaded: it has a place in a section with contents. */
static bool is_loaded(const struct object *o, const Elf64_Sym *symbol)
{
	unsigned i = symbol->st_shndx;

	return i < o->nr_sections && o->addresses[i] && symbol->st_value < o->sections[i].sh_size;
}

static void add_file(const char *path)
{
	size_t size;
	uint8_t *bytes = slurp(path, &size);

	file_name = path;
	if (!bytes)
		fail("cannot read '%s'", path);
	if (size >= SARMAG && !memcmp(bytes, ARMAG, SARMAG))
		add_archive(bytes, size);
	else
		add_object(bytes, size);
}

uint64_t object_load(const struct bench_options *options, const char *path)
{
	const char *function = options->function;
	const Elf64_Sym *symbol;
	struct object *owner;

	if (!objects)
		objects = need_memory(MOST_OBJECTS * sizeof(*objects));
	for (int i = 0; i < options->nr_libraries; i++)
		add_file(options->libraries[i]);
	add_file(path); /* last: messages name it */
	symbol = find_global(function, &owner);
	if (!symbol)
		fail("'%s' defines no function '%s'",
		     strrchr(path, '/') ? strrchr(path, '/') + 1 : path, function);
	want(owner);
	for (int i = 0; i < nr_objects; i++)
		if (objects[i].wanted)
			relocate_all(&objects[i]);
	if (!is_loaded(owner, symbol))
		damaged();
	return symbol_address(owner, symbol);
}
