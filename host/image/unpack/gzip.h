/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the gzip member of Linux kernels, by the host's zlib. */
#ifndef HOST_IMAGE_UNPACK_GZIP_H
#define HOST_IMAGE_UNPACK_GZIP_H

#include <stdbool.h>

#include "host/lib/buffer.h"

/* Appends the unpacked member at `bytes`. False: not such a member, or damaged. Ends the command if
 * zlib is missing. */
bool gzip_unpack(struct buffer *out, const unsigned char *bytes, size_t size);

#endif
