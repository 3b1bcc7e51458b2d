/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the build id of an ELF file. Source: ELF-64 Object File Format, "Note Section"; System V
 * ABI, "Program Header". */
#include <linux/elf.h>
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/ramfile.h"
#include "kernel/mem/memory.h"
#include "pmu/record/build_id.h"

#define NOTE_BUILD_ID 3 /* NT_GNU_BUILD_ID */

static const char owner[4] = "GNU";

static uint64_t padded(uint32_t bytes)
{
	return (bytes + 3ul) & ~3ul;
}

/* Reads `bytes` if they are all inside the first page; returns whether it did. */
static bool read_part(struct inode *inode, uint64_t at, void *to, size_t bytes)
{
	return at <= PAGE_SIZE - bytes && inode_read(inode, at, to, bytes) == bytes;
}

static bool is_build_id(struct inode *inode, uint64_t at, const Elf64_Nhdr *note)
{
	char name[sizeof(owner)];

	return note->n_type == NOTE_BUILD_ID && note->n_namesz == sizeof(owner) && note->n_descsz &&
	       note->n_descsz <= BUILD_ID_MAX &&
	       read_part(inode, at + sizeof(*note), name, sizeof(name)) &&
	       memcmp(name, owner, sizeof(owner)) == 0;
}

/* Searches the notes of one segment. */
static bool find_note(struct inode *inode, uint64_t at, uint64_t bytes, struct build_id *id)
{
	uint64_t end = at + bytes;
	Elf64_Nhdr note;

	for (; end <= PAGE_SIZE && at + sizeof(note) < end;
	     at += sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz)) {
		if (!read_part(inode, at, &note, sizeof(note)))
			return false;
		if (!is_build_id(inode, at, &note))
			continue;
		if (!read_part(inode, at + sizeof(note) + sizeof(owner), id->id, note.n_descsz)) {
			*id = (struct build_id){0};
			return false;
		}
		id->bytes = note.n_descsz;
		return true;
	}
	return false;
}

void build_id_read(struct inode *inode, struct build_id *id)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	*id = (struct build_id){0};
	if (!read_part(inode, 0, &ehdr, sizeof(ehdr)) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 || ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	for (unsigned i = 0; i < ehdr.e_phnum; i++)
		if (!read_part(inode, sizeof(ehdr) + i * sizeof(phdr), &phdr, sizeof(phdr)) ||
		    (phdr.p_type == PT_NOTE && phdr.p_offset < PAGE_SIZE &&
		     phdr.p_filesz < PAGE_SIZE &&
		     find_note(inode, phdr.p_offset, phdr.p_filesz, id)))
			return;
}
