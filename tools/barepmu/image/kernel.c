/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells record where the kernel's text lies, so that a profile's readers find its symbols. */
#include "tools/barepmu/barepmu.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

char *kernel_text(void)
{
	char *path = kernel_file(), *text = NULL;
	struct buffer file = read_file(path);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file.bytes;
	const Elf64_Phdr *segment;

	if (file.size < sizeof(*header) || memcmp(header, ELFMAG, SELFMAG) ||
	    header->e_phoff > file.size ||
	    header->e_phnum > (file.size - header->e_phoff) / sizeof(*segment))
		die(STATUS_OURS, "'%s' is not an ELF file: run `make`", path);
	segment = (const Elf64_Phdr *)(file.bytes + header->e_phoff);
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
