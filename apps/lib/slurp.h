/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files in memory. */
#ifndef APPS_LIB_SLURP_H
#define APPS_LIB_SLURP_H

#include <stddef.h>

/* The bytes of a file (to be freed), a NUL after them; or NULL and errno. */
unsigned char *slurp(const char *path, size_t *size);

#endif
