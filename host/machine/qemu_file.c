/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts from QEMU's file without a start of QEMU, which takes as long as a small machine. */
#include "host/machine/qemu_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/lib/buffer.h"
#include "host/lib/text.h"

/* The file that a search of PATH starts, or NULL. To be freed. */
static char *program_file(const char *name)
{
	char *path = format_text("%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin"),
	     *rest = path, *directory, *file = NULL;

	while (!file && (directory = strsep(&rest, ":"))) {
		file = format_text("%s/%s", *directory ? directory : ".", name);
		if (access(file, X_OK)) {
			free(file);
			file = NULL;
		}
	}
	free(path);
	return file;
}

/* Maps the file until the exit; empty when it is unreadable. */
static struct buffer map_file(const char *name)
{
	char *path = program_file(name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct buffer file = {NULL, 0, 0};
	struct stat status;
	void *bytes;

	free(path);
	if (fd < 0)
		return file;
	if (!fstat(fd, &status) && status.st_size) {
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED)
			file = (struct buffer){bytes, (size_t)status.st_size, 0};
	}
	close(fd);
	return file;
}

/* Returns a part of a buffer; no bytes if it is not inside it. */
static struct buffer part_of(const struct buffer *all, uint64_t offset, uint64_t size)
{
	if (offset > all->size || size > all->size - offset)
		return (struct buffer){NULL, 0, 0};
	return (struct buffer){all->bytes + offset, size, 0};
}

/* Returns a section of an ELF file; empty when there is none. */
static struct buffer find_section(const struct buffer *file, const char *name)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
	struct buffer table, names, own;
	const Elf64_Shdr *sections;

	if (file->size < sizeof(*header) || memcmp(header, ELFMAG, SELFMAG))
		return part_of(file, 0, 0);
	table = part_of(file, header->e_shoff, header->e_shnum * sizeof(*sections));
	sections = (const Elf64_Shdr *)table.bytes;
	if (!sections || header->e_shstrndx >= header->e_shnum)
		return part_of(file, 0, 0);
	names = part_of(file, sections[header->e_shstrndx].sh_offset,
			sections[header->e_shstrndx].sh_size);
	for (unsigned i = 0; i < header->e_shnum; i++) {
		own = part_of(&names, sections[i].sh_name, strlen(name) + 1);
		if (own.bytes && !memcmp(own.bytes, name, own.size))
			return part_of(file, sections[i].sh_offset, sections[i].sh_size);
	}
	return part_of(file, 0, 0);
}

/* Finds the text in a section of the program's file. Returns its position and the rest of the
 * section; empty: not found. */
static struct buffer find_text(const char *name, const char *section, const char *text, size_t size)
{
	static struct buffer file;
	static const char *mapped; /* the name */
	struct buffer all;
	const unsigned char *at;

	if (!mapped || strcmp(mapped, name)) {
		file = map_file(name);
		mapped = name;
	}
	all = find_section(&file, section);
	at = all.bytes ? memmem(all.bytes, all.size, text, size) : NULL;
	if (!at)
		return part_of(&all, 0, 0);
	return part_of(&all, (uint64_t)(at - all.bytes), all.size - (uint64_t)(at - all.bytes));
}

bool qemu_has_plugins(const char *name)
{
	static const char symbol[] = "qemu_plugin_get_hwaddr";

	return find_text(name, ".dynstr", symbol, sizeof(symbol)).size;
}

bool qemu_file_version(const char *name, int *major, int *minor)
{
	static const char start[] = "QEMU emulator version ";
	struct buffer text = find_text(name, ".rodata", start, sizeof(start) - 1);

	return text.size && memchr(text.bytes, '\0', text.size) &&
	       sscanf((const char *)text.bytes + sizeof(start) - 1, "%d.%d", major, minor) == 2;
}
