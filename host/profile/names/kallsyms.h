/* SPDX-License-Identifier: BSD-2-Clause */
/* The symbols that Linux's kernel has in itself. */
#ifndef HOST_PROFILE_KALLSYMS_H
#define HOST_PROFILE_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the tables in an unpacked kernel (6.1 or later, little-endian, 64 bits) and calls `take`
 * for each symbol: its linked address, nm's letter, its name. Returns false if there are none. */
bool kallsyms_read(const unsigned char *bytes, size_t size,
		   void (*take)(void *context, uint64_t address, char type, const char *name),
		   void *context);

#endif
