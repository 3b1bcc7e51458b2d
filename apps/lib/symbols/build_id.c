/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds build ids in the notes of ELF files: each length is checked, because the file may be
 * damaged. */
#include "apps/lib/symbols/build_id.h"

#include <elf.h>
#include <string.h>

const unsigned char *build_id(const unsigned char *notes, size_t size, size_t *id_size)
{
	Elf64_Nhdr note;

	while (size >= sizeof(note)) {
		size_t name, id;

		memcpy(&note, notes, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		id = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > size - sizeof(note) || id > size - sizeof(note) - name)
			return NULL;
		notes += sizeof(note) + name;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes - name, "GNU", 4) && note.n_descsz > 1 &&
		    note.n_descsz <= BUILD_ID_MAX) {
			*id_size = note.n_descsz;
			return notes;
		}
		notes += id;
		size -= sizeof(note) + name + id;
	}
	return NULL;
}
