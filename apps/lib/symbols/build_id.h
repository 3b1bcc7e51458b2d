/* SPDX-License-Identifier: BSD-2-Clause */
/* Build ids: which build of a program a file is. */
#ifndef APPS_LIB_SYMBOLS_BUILD_ID_H
#define APPS_LIB_SYMBOLS_BUILD_ID_H

#include <stddef.h>

#define BUILD_ID_MAX 64 /* bytes */

/* Returns the build id in the `size` bytes of notes, which has *id_size bytes; NULL: none. */
const unsigned char *build_id(const unsigned char *notes, size_t size, size_t *id_size);

#endif
