/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and code of ELF files, which may be damaged. */
#ifndef HOST_PROFILE_ELF_SYMBOLS_H
#define HOST_PROFILE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/lib/buffer.h"

struct elf {
	struct buffer file;
	bool wide;          /* 64 bits */
	uint64_t low, high; /* addresses that its code is linked to */
	uint64_t text;      /* of a relocatable file: the number of its first section of code */
};

/* Checks the headers of a file in memory, which the caller keeps. A relocatable file is as if its
 * first section of code were linked to 0 and there were no other. Returns false if it is no ELF
 * file for x86 with loadable code. */
bool elf_parse(struct elf *elf, struct buffer file);
/* Returns the file's bytes at a linked address, of which *bytes are there; NULL: none. */
const unsigned char *elf_code(const struct elf *elf, uint64_t address, uint64_t *bytes);
/* Calls `take` for each function: its linked address, size (0: unknown) and name. */
void elf_functions(const struct elf *elf,
		   void (*take)(void *context, uint64_t address, uint64_t size, const char *name),
		   void *context);

#endif
