/* SPDX-License-Identifier: BSD-2-Clause */
/* Separate debug files by build id. */
#ifndef APPS_LIB_SYMBOLS_DEBUG_FILE_H
#define APPS_LIB_SYMBOLS_DEBUG_FILE_H

#include <stddef.h>

/* Finds the debug file of the ELF file whose notes are these `size` bytes: of Debian's -dbgsym
 * packages, or in a cache of debuginfod. Returns its path, which the caller frees, or NULL. */
char *debug_file_find(const unsigned char *notes, size_t size);

#endif
