/* SPDX-License-Identifier: BSD-2-Clause */
/* Decompresses LZMA, as firmware volumes have it. */
#ifndef HOST_PROFILE_LZMA_H
#define HOST_PROFILE_LZMA_H

#include <stdbool.h>
#include <stddef.h>

#include "host/lib/buffer.h"

/* Decompresses a stream with its header of 13 bytes into an empty buffer, at most `max` bytes.
 * Returns false for a stream that is damaged or larger. */
bool lzma_decompress(const unsigned char *bytes, size_t size, size_t max, struct buffer *out);

#endif
