/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and code of ELF files of 32 and 64 bits, read by libelf. */
#include "host/profile/names/elf_symbols.h"

#include <string.h>

static bool is_x86(unsigned machine)
{
	return machine == EM_X86_64 || machine == EM_386;
}

/* Reads a segment whose bytes are all in the file; false: there is none. */
static bool loaded_segment(const struct elf *elf, size_t n, GElf_Phdr *segment)
{
	return gelf_getphdr(elf->elf, (int)n, segment) && segment->p_type == PT_LOAD &&
	       segment->p_filesz && segment->p_offset <= elf->file.size &&
	       segment->p_filesz <= elf->file.size - segment->p_offset &&
	       segment->p_vaddr + segment->p_filesz > segment->p_vaddr;
}

/* Linux loads the sections of a module's code one behind the other, without those for its start. */
static bool parse_relocatable(struct elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    header.sh_size) {
			elf->text = elf_ndxscn(section);
			elf->low = 0;
			elf->high = header.sh_size;
			return true;
		}
	return false;
}

static bool parse_loaded(struct elf *elf)
{
	GElf_Phdr segment;

	for (size_t i = 0; i < elf->nr_segments; i++) {
		if (!loaded_segment(elf, i, &segment))
			continue;
		if (segment.p_vaddr < elf->low)
			elf->low = segment.p_vaddr;
		if (segment.p_vaddr + segment.p_filesz > elf->high)
			elf->high = segment.p_vaddr + segment.p_filesz;
	}
	return elf->low < elf->high;
}

bool elf_open(struct elf *elf, struct buffer file)
{
	GElf_Ehdr header;

	*elf = (struct elf){.file = file, .low = UINT64_MAX};
	elf_version(EV_CURRENT);
	elf->elf = elf_memory((char *)file.bytes, file.size);
	if (elf_kind(elf->elf) == ELF_K_ELF && gelf_getehdr(elf->elf, &header) &&
	    is_x86(header.e_machine) && !elf_getphdrnum(elf->elf, &elf->nr_segments) &&
	    (header.e_type == ET_REL ? parse_relocatable(elf) : parse_loaded(elf)))
		return true;
	elf_close(elf);
	return false;
}

void elf_close(struct elf *elf)
{
	elf_end(elf->elf);
	elf->elf = NULL;
}

const unsigned char *elf_code(const struct elf *elf, uint64_t address, uint64_t *bytes)
{
	GElf_Phdr segment;

	for (size_t i = 0; i < elf->nr_segments; i++)
		if (loaded_segment(elf, i, &segment) &&
		    address - segment.p_vaddr < segment.p_filesz) {
			*bytes = segment.p_filesz - (address - segment.p_vaddr);
			return (const unsigned char *)elf->file.bytes + segment.p_offset +
			       (address - segment.p_vaddr);
		}
	return NULL;
}

/* Functions, and labels of assembly in sections of code. */
static bool is_code(const struct elf *elf, const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	GElf_Shdr header;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
	    (elf->text && symbol->st_shndx != elf->text))
		return false;
	return type == STT_FUNC || (type == STT_NOTYPE &&
				    gelf_getshdr(elf_getscn(elf->elf, symbol->st_shndx), &header) &&
				    header.sh_flags & SHF_EXECINSTR);
}

static void functions_of(const struct elf *elf, Elf_Data *symbols, size_t strings,
			 elf_take_function *take, void *context)
{
	GElf_Sym symbol;

	for (int i = 0; gelf_getsym(symbols, i, &symbol); i++) {
		const char *name =
		    is_code(elf, &symbol) ? elf_strptr(elf->elf, strings, symbol.st_name) : NULL;

		if (name && *name)
			take(context, symbol.st_value, symbol.st_size, name);
	}
}

void elf_functions(const struct elf *elf, elf_take_function *take, void *context)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			functions_of(elf, elf_getdata(section, NULL), header.sh_link, take,
				     context);
}
