/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files in memory. */
#ifndef APPS_LIB_SLURP_H
#define APPS_LIB_SLURP_H

#include <stddef.h>

/* Returns the bytes of a file with a NUL after them, which the caller frees; or NULL and errno. */
unsigned char *slurp(const char *path, size_t *size);

#endif
