/* SPDX-License-Identifier: BSD-2-Clause */
/* Function names of an ELF file, by file offset. */
#ifndef APPS_LIB_SYMBOLS_H
#define APPS_LIB_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct symbols;

/* Reads the functions of the x86-64 ELF file at `path`. NULL: unreadable, or not such a file. */
struct symbols *symbols_load(const char *path);

/* Returns the function that contains byte `offset` of the file, or NULL. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset);

/* Returns the linked addresses of the byte, and of its function's start and end; false: unknown. */
bool symbols_range(const struct symbols *symbols, uint64_t offset, uint64_t *address,
		   uint64_t *start, uint64_t *end);

#endif
