/* SPDX-License-Identifier: BSD-2-Clause */
/* Function names of an ELF file, by file offset. */
#ifndef APPS_LIB_SYMBOLS_SYMBOLS_H
#define APPS_LIB_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* Reads the functions of the x86-64 ELF file at `path`. NULL: unreadable, or not such a file. */
struct symbols *symbols_load(const char *path);
/* Gives back what was loaded, with all its names; NULL: nothing. */
void symbols_free(struct symbols *symbols);

/* Returns true if the file has this build id of `size` bytes. */
bool symbols_has_id(const struct symbols *symbols, const unsigned char *id, size_t size);

/* Sets *offset to the byte of the file at the linked address; false: there is none. */
bool symbols_offset(const struct symbols *symbols, uint64_t address, uint64_t *offset);

/* Returns the function that contains byte `offset` of the file, or NULL. */
const char *symbols_find(const struct symbols *symbols, uint64_t offset);

/* Returns the function that contains the linked address, and where it starts; NULL: none. */
const char *symbols_at(const struct symbols *symbols, uint64_t address, uint64_t *start);

/* Sets *address to the linked address of the function of this name; false: there is none. */
bool symbols_named(const struct symbols *symbols, const char *name, uint64_t *address);

/* Returns the name of each function in turn; NULL after the last. */
const char *symbols_name(const struct symbols *symbols, size_t index);

/* Returns the linked addresses of the byte, and of its function's start and end; false: unknown. */
bool symbols_range(const struct symbols *symbols, uint64_t offset, uint64_t *address,
		   uint64_t *start, uint64_t *end);

#endif
