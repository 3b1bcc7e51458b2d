/* SPDX-License-Identifier: BSD-2-Clause */
/* Function names of an ELF file, found by file offset. */
#ifndef APPS_LIB_SYMBOLS_H
#define APPS_LIB_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

/* Reads the functions of the x86-64 ELF file at `path`. NULL: it cannot be read or is no such
 * file. */
struct symbols *symbols_load(const char *path);

/* The function that holds byte `offset` of the file, or NULL. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset);

/* The addresses, as linked, of that byte and of its function's first and end; false: not known. */
bool symbols_range(const struct symbols *symbols, uint64_t offset, uint64_t *address,
		   uint64_t *start, uint64_t *end);

#endif
