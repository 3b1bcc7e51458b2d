/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's file: the position of its text, for readers of profiles, and the part that is
 * loaded. */
#include "host/image/kernel.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define HEAD_BYTES 4096 /* of the file, with its program headers */

/* Reads the first `most` bytes of the kernel, which must be an ELF file with all its program
 * headers. */
static struct buffer read_kernel(const char *path, size_t most)
{
	struct buffer file = read_start(path, most);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file.bytes;

	if (file.size < sizeof(*header) || memcmp(header, ELFMAG, SELFMAG) ||
	    header->e_phoff > file.size ||
	    header->e_phnum > (file.size - header->e_phoff) / sizeof(Elf64_Phdr))
		die(STATUS_OURS, "'%s' is not an ELF file: run `make`", path);
	return file;
}

/* Returns the file offset of the end of the loaded part. */
static size_t loaded_bytes(const char *path)
{
	struct buffer head = read_kernel(path, HEAD_BYTES);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)head.bytes;
	const Elf64_Phdr *segment = (const Elf64_Phdr *)(head.bytes + header->e_phoff);
	size_t end = header->e_phoff + header->e_phnum * sizeof(*segment);

	for (int i = 0; i < header->e_phnum; i++, segment++)
		if (segment->p_offset + segment->p_filesz > end)
			end = segment->p_offset + segment->p_filesz;
	free(head.bytes);
	return end;
}

struct buffer kernel_to_load(void)
{
	const char *path = kernel_file();
	struct buffer file = read_kernel(path, loaded_bytes(path));
	Elf64_Ehdr *header = (Elf64_Ehdr *)file.bytes;

	header->e_shoff = header->e_shnum = header->e_shstrndx = 0;
	return file;
}

char *kernel_text(void)
{
	char *path = kernel_file(), *text = NULL;
	struct buffer file = read_kernel(path, HEAD_BYTES);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file.bytes;
	const Elf64_Phdr *segment = (const Elf64_Phdr *)(file.bytes + header->e_phoff);

	for (int i = 0; i < header->e_phnum && !text; i++, segment++) {
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
			text = format_text("%s:%lx:%lx:%lx", path, segment->p_vaddr,
					   segment->p_memsz, segment->p_offset);
	}
	if (!text)
		die(STATUS_OURS, "'%s' has no code: run `make`", path);
	free(file.bytes);
	return text;
}
