/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files that stand for the guest's code, for perf's symbols and disassembly. Address and file
 * offset of the code are equal, which any way to compute a symbol's address from a mapping agrees
 * with. Code that did not run is a hole.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/lib/buffer.h"
#include "host/lib/text.h"
#include "host/profile/output.h"

#define TEXT 4096 /* offset of the code */

enum { SECTION_NONE, SECTION_TEXT, SECTION_SYMBOLS, SECTION_STRINGS, SECTION_NAMES, SECTIONS };

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

static bool elf_file_put(int fd, const void *bytes, size_t size, uint64_t at)
{
	const char *from = bytes;

	while (size) {
		ssize_t n = pwrite(fd, from, size, (off_t)at);

		if (n <= 0)
			return false;
		from += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

static void collect_symbols(const struct unit *unit, struct buffer *symbols, struct buffer *strings)
{
	const Elf64_Sym none = {0};

	buffer_append(symbols, &none, sizeof(none));
	buffer_append(strings, "", 1);
	for (size_t i = 0; i < unit->nr_symbols; i++) {
		const struct symbol *symbol = &unit->symbols[i];
		const Elf64_Sym entry = {.st_name = (Elf64_Word)strings->size,
					 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					 .st_shndx = SECTION_TEXT,
					 .st_value = symbol->address - unit->base + TEXT,
					 .st_size = symbol->size};

		if (symbol->address - unit->base >= unit->size)
			continue;
		buffer_append(symbols, &entry, sizeof(entry));
		buffer_append(strings, symbol->name, strlen(symbol->name) + 1);
	}
}

static bool put_head(int fd, uint64_t sections)
{
	const Elf64_Ehdr head = {
	    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_DYN,
	    .e_machine = EM_X86_64,
	    .e_version = EV_CURRENT,
	    .e_phoff = sizeof(head),
	    .e_shoff = sections,
	    .e_ehsize = sizeof(head),
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = 1,
	    .e_shentsize = sizeof(Elf64_Shdr),
	    .e_shnum = SECTIONS,
	    .e_shstrndx = SECTION_NAMES};

	return elf_file_put(fd, &head, sizeof(head), 0);
}

static bool put_tables(int fd, const struct unit *unit, const struct buffer *symbols,
		       const struct buffer *strings)
{
	uint64_t symbols_at = (TEXT + unit->size + 15) & ~(uint64_t)15,
		 strings_at = symbols_at + symbols->size, names_at = strings_at + strings->size,
		 sections_at = (names_at + sizeof(section_names) + 15) & ~(uint64_t)15;
	const Elf64_Phdr load = {.p_type = PT_LOAD,
				 .p_flags = PF_R | PF_X,
				 .p_offset = TEXT,
				 .p_vaddr = TEXT,
				 .p_paddr = TEXT,
				 .p_filesz = unit->size,
				 .p_memsz = unit->size,
				 .p_align = TEXT};
	const Elf64_Shdr sections[SECTIONS] = {
	    [SECTION_TEXT] = {1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT, TEXT, unit->size, 0,
			      0, 16, 0},
	    [SECTION_SYMBOLS] = {7, SHT_SYMTAB, 0, 0, symbols_at, symbols->size, SECTION_STRINGS, 1,
				 8, sizeof(Elf64_Sym)},
	    [SECTION_STRINGS] = {15, SHT_STRTAB, 0, 0, strings_at, strings->size, 0, 0, 1, 0},
	    [SECTION_NAMES] = {23, SHT_STRTAB, 0, 0, names_at, sizeof(section_names), 0, 0, 1, 0},
	};

	return put_head(fd, sections_at) &&
	       elf_file_put(fd, &load, sizeof(load), sizeof(Elf64_Ehdr)) &&
	       elf_file_put(fd, symbols->bytes, symbols->size, symbols_at) &&
	       elf_file_put(fd, strings->bytes, strings->size, strings_at) &&
	       elf_file_put(fd, section_names, sizeof(section_names), names_at) &&
	       elf_file_put(fd, sections, sizeof(sections), sections_at);
}

static bool put_code(int fd, const struct profile *profile, const struct unit *unit)
{
	for (uint32_t i = 0; i < profile->nr_blocks; i++) {
		const struct block *block = &profile->blocks[i];
		uint64_t at, size;

		if (block->unit != unit)
			continue;
		at = block->record->start - unit->base;
		size = block->record->bytes;
		if (at < unit->size && size > unit->size - at)
			size = unit->size - at;
		if (at < unit->size && !elf_file_put(fd, block->code, size, TEXT + at))
			return false;
	}
	return true;
}

static bool write_unit(const struct profile *profile, struct unit *unit)
{
	struct buffer symbols = {NULL, 0, 0}, strings = {NULL, 0, 0};
	int fd = open(unit->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	bool good;

	if (fd < 0)
		return false;
	collect_symbols(unit, &symbols, &strings);
	good = put_code(fd, profile, unit) && put_tables(fd, unit, &symbols, &strings);
	free(symbols.bytes);
	free(strings.bytes);
	return !close(fd) && good;
}

/* Units of equal names get numbers. */
static char *unit_path(const struct profile *profile, size_t n, const char *directory)
{
	const struct unit *unit = profile->units[n];
	unsigned same = 0;

	for (size_t i = 0; i < n; i++)
		same += !strcmp(profile->units[i]->name, unit->name);
	return same ? format_text("%s/%s-%u", directory, unit->name, same)
		    : format_text("%s/%s", directory, unit->name);
}

bool write_unit_files(struct profile *profile, const char *directory)
{
	if (mkdir(directory, 0777) && errno != EEXIST)
		return false;
	for (size_t i = 0; i < profile->nr_units; i++) {
		profile->units[i]->path = unit_path(profile, i, directory);
		if (!write_unit(profile, profile->units[i]))
			return false;
	}
	return true;
}
