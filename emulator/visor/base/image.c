/* SPDX-License-Identifier: BSD-2-Clause */
/* Relocation of the visor's own image. System V ABI, AMD64 supplement, "Relocation". */
#include "emulator/visor/base/image.h"

#include <elf.h>

#include "emulator/visor/base/console.h"

void image_relocate(uint64_t base, uint64_t linked, const void *dynamic)
{
	uint64_t bias = base - linked, table = 0, bytes = 0;

	for (const Elf64_Dyn *d = dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			table = d->d_un.d_ptr + bias;
		if (d->d_tag == DT_RELASZ)
			bytes = d->d_un.d_val;
	}
	for (const Elf64_Rela *r = (const Elf64_Rela *)table; (uint64_t)r < table + bytes; r++) {
		if (ELF64_R_TYPE(r->r_info) != R_X86_64_RELATIVE)
			fail("its image has a relocation of type %u",
			     (unsigned)ELF64_R_TYPE(r->r_info));
		*(uint64_t *)(r->r_offset + bias) = (uint64_t)r->r_addend + bias;
	}
}
