/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and code of ELF files of 32 and 64 bits (System V ABI, chapters 4 and 5). */
#include "host/profile/names/elf_symbols.h"

#include <elf.h>
#include <string.h>

/* Fields of both widths. */
struct segment {
	uint64_t offset, address, file_bytes;
};

struct section {
	uint64_t offset, size, entry;
	uint32_t type, link;
	uint64_t flags;
};

static bool has(const struct elf *elf, uint64_t at, uint64_t bytes)
{
	return at <= elf->file.size && elf->file.size - at >= bytes;
}

#define FIELD(name)                                                                           \
	static uint64_t name(const struct elf *elf)                                           \
	{                                                                                     \
		return elf->wide ? ((const Elf64_Ehdr *)(const void *)elf->file.bytes)->name  \
				 : ((const Elf32_Ehdr *)(const void *)elf->file.bytes)->name; \
	}

FIELD(e_type)
FIELD(e_phoff)
FIELD(e_phnum)
FIELD(e_shoff)
FIELD(e_shnum)

static bool segment_at(const struct elf *elf, uint64_t n, struct segment *segment)
{
	size_t size = elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint64_t at = e_phoff(elf) + n * size;
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (!has(elf, at, size))
		return false;
	memcpy(&wide, elf->file.bytes + at, elf->wide ? sizeof(wide) : 0);
	memcpy(&narrow, elf->file.bytes + at, elf->wide ? 0 : sizeof(narrow));
	if ((elf->wide ? wide.p_type : narrow.p_type) != PT_LOAD)
		return false;
	*segment = elf->wide ? (struct segment){wide.p_offset, wide.p_vaddr, wide.p_filesz}
			     : (struct segment){narrow.p_offset, narrow.p_vaddr, narrow.p_filesz};
	return segment->file_bytes && has(elf, segment->offset, segment->file_bytes) &&
	       segment->address + segment->file_bytes > segment->address;
}

static bool section_at(const struct elf *elf, uint64_t n, struct section *section)
{
	size_t size = elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t at = e_shoff(elf) + n * size;
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (!has(elf, at, size))
		return false;
	memcpy(&wide, elf->file.bytes + at, elf->wide ? sizeof(wide) : 0);
	memcpy(&narrow, elf->file.bytes + at, elf->wide ? 0 : sizeof(narrow));
	*section = elf->wide ? (struct section){wide.sh_offset, wide.sh_size, wide.sh_entsize,
						wide.sh_type,   wide.sh_link, wide.sh_flags}
			     : (struct section){narrow.sh_offset, narrow.sh_size, narrow.sh_entsize,
						narrow.sh_type,   narrow.sh_link, narrow.sh_flags};
	return section->type == SHT_NOBITS || has(elf, section->offset, section->size);
}

/* Linux loads the sections of a module's code one behind the other, without those for its start. */
static bool parse_relocatable(struct elf *elf)
{
	struct section section;

	for (uint64_t i = 1; i < e_shnum(elf) && !elf->text; i++)
		if (section_at(elf, i, &section) && section.flags & SHF_EXECINSTR && section.size) {
			elf->text = i;
			elf->low = 0;
			elf->high = section.size;
		}
	return elf->text;
}

bool elf_parse(struct elf *elf, struct buffer file)
{
	struct segment segment;

	*elf = (struct elf){.file = file, .low = UINT64_MAX};
	if (file.size < sizeof(Elf64_Ehdr) || memcmp(file.bytes, ELFMAG, SELFMAG))
		return false;
	elf->wide = file.bytes[EI_CLASS] == ELFCLASS64;
	if (e_type(elf) == ET_REL)
		return parse_relocatable(elf);
	for (uint64_t i = 0; i < e_phnum(elf); i++) {
		if (!segment_at(elf, i, &segment))
			continue;
		if (segment.address < elf->low)
			elf->low = segment.address;
		if (segment.address + segment.file_bytes > elf->high)
			elf->high = segment.address + segment.file_bytes;
	}
	return elf->low < elf->high;
}

const unsigned char *elf_code(const struct elf *elf, uint64_t address, uint64_t *bytes)
{
	struct segment segment;

	for (uint64_t i = 0; i < e_phnum(elf); i++)
		if (segment_at(elf, i, &segment) &&
		    address - segment.address < segment.file_bytes) {
			*bytes = segment.file_bytes - (address - segment.address);
			return elf->file.bytes + segment.offset + (address - segment.address);
		}
	return NULL;
}

static bool read_symbol(const struct elf *elf, uint64_t at, Elf64_Sym *symbol)
{
	Elf32_Sym narrow;

	if (elf->wide) {
		memcpy(symbol, elf->file.bytes + at, sizeof(*symbol));
	} else {
		memcpy(&narrow, elf->file.bytes + at, sizeof(narrow));
		*symbol = (Elf64_Sym){.st_name = narrow.st_name,
				      .st_info = narrow.st_info,
				      .st_shndx = narrow.st_shndx,
				      .st_value = narrow.st_value,
				      .st_size = narrow.st_size};
	}
	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE;
}

/* Functions, and labels of assembly in sections of code. */
static bool is_code(const struct elf *elf, const Elf64_Sym *symbol)
{
	struct section section;
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	if (type == STT_FUNC)
		return true;
	return type == STT_NOTYPE && section_at(elf, symbol->st_shndx, &section) &&
	       section.flags & SHF_EXECINSTR;
}

void elf_functions(const struct elf *elf,
		   void (*take)(void *context, uint64_t address, uint64_t size, const char *name),
		   void *context)
{
	size_t entry = elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct section table, names;
	Elf64_Sym symbol;

	for (uint64_t i = 0; i < e_shnum(elf); i++) {
		if (!section_at(elf, i, &table) || table.type != SHT_SYMTAB ||
		    !section_at(elf, table.link, &names) || names.type != SHT_STRTAB ||
		    !names.size || elf->file.bytes[names.offset + names.size - 1])
			continue;
		for (uint64_t at = 0; table.size - at >= entry; at += entry)
			if (read_symbol(elf, table.offset + at, &symbol) &&
			    symbol.st_name < names.size && is_code(elf, &symbol) &&
			    (!elf->text || symbol.st_shndx == elf->text) &&
			    elf->file.bytes[names.offset + symbol.st_name])
				take(context, symbol.st_value, symbol.st_size,
				     (const char *)elf->file.bytes + names.offset + symbol.st_name);
	}
}
