/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that Linux needs to show the host's directories. */
#ifndef HOST_IMAGE_MODULES_H
#define HOST_IMAGE_MODULES_H

#include "host/lib/buffer.h"

/* Adds the modules of the kernel in the file `path`, a bzImage, as far as /lib/modules has them. */
void modules_add(struct buffer *archive, const char *path);

#endif
