/* SPDX-License-Identifier: BSD-2-Clause */
/* Interpreters and libraries of dynamically linked programs. */
#ifndef HOST_IMAGE_LIBRARIES_H
#define HOST_IMAGE_LIBRARIES_H

#include <stdbool.h>

#include <elf.h>

#include "host/options.h"

/* Adds the interpreter and the libraries of a dynamically linked program, nothing for others. Ends
 * the command when one is missing. */
void archive_add_libraries(struct buffer *archive, const char *program);
/* As archive_add_libraries(), for all programs in a directory, without files that the machine sees
 * anyway; prints a line for a missing one. */
void archive_add_directory_libraries(struct buffer *archive, const struct options *options,
				     const char *directory);
/* Returns a copy of a program header, which may be unaligned, of an ELF file with all its headers
 * in the file. */
Elf64_Phdr elf_segment(const struct buffer *file, int index);
/* Whether the path is a regular file that may be executed. */
bool is_program(const char *path);

#endif
