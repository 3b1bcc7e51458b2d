/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the legacy LZ4 frame of Linux kernels. */
#ifndef HOST_IMAGE_UNPACK_LZ4_H
#define HOST_IMAGE_UNPACK_LZ4_H

#include <stdbool.h>

#include "host/lib/buffer.h"

/* Appends the unpacked frame at `bytes`; false: not such a frame, or damaged. */
bool lz4_unpack(struct buffer *out, const unsigned char *bytes, size_t size);

#endif
