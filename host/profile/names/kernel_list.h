/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of a kernel as a list: a file in nm's format, or the kernel's own tables. */
#ifndef HOST_PROFILE_KERNEL_LIST_H
#define HOST_PROFILE_KERNEL_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "host/lib/buffer.h"

/* Linked addresses. */
struct kernel_symbol {
	uint64_t address;
	char type; /* nm's letter */
	char *name;
};

struct kernel_list {
	struct kernel_symbol *symbols;
	size_t nr;
};

/* Reads a file in memory, with a NUL after it: nm's output, a kernel's image (bzImage in LZ4), or
 * an ELF file with the tables of a kernel. `path` is the file's. Returns false if it is none. */
bool kernel_list_read(struct kernel_list *list, const struct buffer *file, const char *path);
/* Returns the address of a name, or 0. */
uint64_t kernel_list_find(const struct kernel_list *list, const char *name);
void kernel_list_free(struct kernel_list *list);

#endif
