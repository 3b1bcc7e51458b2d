/* SPDX-License-Identifier: BSD-2-Clause */
/* The guest's kernel: an ELF file. System V ABI, chapter 5; Xen's elfnote.h. */
#include "emulator/visor/start/guest_elf.h"

#include <elf.h>

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/lib.h"

/* The fields of a program header that we use, for either class. */
struct segment {
	uint32_t type;
	uint64_t offset, address, file_bytes, memory_bytes, align;
};

static void check_header(struct blob file)
{
	const Elf32_Ehdr *header = (const Elf32_Ehdr *)file.data;

	if (file.bytes < sizeof(Elf64_Ehdr) || memcmp(header->e_ident, ELFMAG, SELFMAG))
		fail("the kernel is not an ELF file");
	if (header->e_machine != EM_X86_64 && header->e_machine != EM_386)
		fail("the kernel is an ELF file for another machine (%u)", header->e_machine);
}

static struct segment segment_at(struct blob file, unsigned index)
{
	const Elf64_Ehdr *h64 = (const Elf64_Ehdr *)file.data;
	const Elf32_Ehdr *h32 = (const Elf32_Ehdr *)file.data;
	bool wide = h64->e_ident[EI_CLASS] == ELFCLASS64;
	uint64_t size = wide ? h64->e_phentsize : h32->e_phentsize;
	uint64_t offset = (wide ? h64->e_phoff : h32->e_phoff) + index * size;

	if (offset > file.bytes ||
	    file.bytes - offset < (wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		fail("the kernel's file is truncated");
	if (wide) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(file.data + offset);

		return (struct segment){p->p_type,   p->p_offset, p->p_paddr,
					p->p_filesz, p->p_memsz,  p->p_align};
	}
	const Elf32_Phdr *p = (const Elf32_Phdr *)(file.data + offset);

	return (struct segment){p->p_type,   p->p_offset, p->p_paddr,
				p->p_filesz, p->p_memsz,  p->p_align};
}

static unsigned nr_segments(struct blob file)
{
	const Elf64_Ehdr *h64 = (const Elf64_Ehdr *)file.data;

	return h64->e_ident[EI_CLASS] == ELFCLASS64 ? h64->e_phnum
						    : ((const Elf32_Ehdr *)h64)->e_phnum;
}

static void load(struct blob file, struct segment s, const struct memory_map *map,
		 struct range taken)
{
	struct range target = {s.address, s.memory_bytes};

	if (!s.memory_bytes)
		return;
	if (!map_usable(map, target) || ranges_overlap(target, taken))
		fail("the kernel wants memory that is not free: %lx, %lu bytes", s.address,
		     s.memory_bytes);
	memcpy((void *)s.address, file.data + s.offset, s.file_bytes);
	memset((void *)(s.address + s.file_bytes), 0, s.memory_bytes - s.file_bytes);
}

/* Returns the entry point in a segment of notes; 0: there is none. */
static uint32_t find_note(struct blob file, struct segment s)
{
	uint64_t align = s.align == 8 ? 8 : 4, offset = s.offset, end = s.offset + s.file_bytes;

	while (end - offset >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)(file.data + offset);
		uint64_t value = (sizeof(*note) + note->n_namesz + align - 1) & ~(align - 1);
		uint64_t next = (value + note->n_descsz + align - 1) & ~(align - 1);

		if (next > end - offset)
			return 0;
		if (note->n_type == PVH_NOTE_ENTRY && note->n_descsz >= 4 &&
		    note->n_namesz == sizeof(PVH_NOTE_NAME) &&
		    !memcmp(note + 1, PVH_NOTE_NAME, sizeof(PVH_NOTE_NAME)))
			return *(const uint32_t *)(file.data + offset + value);
		offset += next;
	}
	return 0;
}

static uint32_t header_entry(struct blob file)
{
	const Elf64_Ehdr *h64 = (const Elf64_Ehdr *)file.data;

	return h64->e_ident[EI_CLASS] == ELFCLASS64 ? (uint32_t)h64->e_entry
						    : ((const Elf32_Ehdr *)h64)->e_entry;
}

struct elf_entries guest_elf_load(struct blob file, const struct memory_map *map,
				  struct range taken)
{
	uint32_t entry = 0;

	check_header(file);
	for (unsigned i = 0; i < nr_segments(file); i++) {
		struct segment s = segment_at(file, i);

		if (s.offset > file.bytes || s.file_bytes > file.bytes - s.offset ||
		    (s.type == PT_LOAD && s.memory_bytes < s.file_bytes))
			fail("the kernel's file is truncated");
		if (s.type == PT_LOAD)
			load(file, s, map, taken);
		if (s.type == PT_NOTE && !entry)
			entry = find_note(file, s);
	}
	return (struct elf_entries){.pvh = entry, .header = header_entry(file)};
}
