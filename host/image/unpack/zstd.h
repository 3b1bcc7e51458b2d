/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the Zstandard frame of Linux kernels, by the host's libzstd. */
#ifndef HOST_IMAGE_UNPACK_ZSTD_H
#define HOST_IMAGE_UNPACK_ZSTD_H

#include <stdbool.h>

#include "host/lib/buffer.h"

/* Appends the unpacked frame at `bytes`; what follows the frame is ignored. False: not such a
 * frame, or damaged. Ends the command if it is such a frame and libzstd is missing. */
bool zstd_unpack(struct buffer *out, const unsigned char *bytes, size_t size);

#endif
