/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the XZ stream of Linux kernels, by the host's liblzma. */
#ifndef HOST_IMAGE_UNPACK_XZ_H
#define HOST_IMAGE_UNPACK_XZ_H

#include <stdbool.h>

#include "host/lib/buffer.h"

/* Appends the unpacked stream at `bytes`; the last four bytes are its unpacked size, as the
 * kernel's build writes it. False: not such a stream, or damaged. Ends the command if liblzma is
 * missing. */
bool xz_unpack(struct buffer *out, const unsigned char *bytes, size_t size);

#endif
