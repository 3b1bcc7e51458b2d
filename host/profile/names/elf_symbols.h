/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and code of ELF files, which may be damaged. */
#ifndef HOST_PROFILE_ELF_SYMBOLS_H
#define HOST_PROFILE_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/lib/buffer.h"

struct elf {
	struct buffer file;
	Elf *elf;
	size_t nr_segments;
	uint64_t low, high; /* addresses that its code is linked to */
	size_t text;        /* of a relocatable file: the number of its first section of code */
};

/* A function's linked address, size (0: unknown) and name. */
typedef void elf_take_function(void *context, uint64_t address, uint64_t size, const char *name);

/* Opens a file in memory, which the caller keeps until elf_close(). A relocatable file is as if its
 * first section of code were linked to 0 and there were no other. Returns false, with nothing to
 * close, if it is no ELF file for x86 with loadable code. */
bool elf_open(struct elf *elf, struct buffer file);
void elf_close(struct elf *elf);
/* Returns the file's bytes at a linked address, of which *bytes are there; NULL: none. */
const unsigned char *elf_code(const struct elf *elf, uint64_t address, uint64_t *bytes);
/* Calls `take` for each function. */
void elf_functions(const struct elf *elf, elf_take_function *take, void *context);

#endif
