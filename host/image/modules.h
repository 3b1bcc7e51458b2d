/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules that Linux needs to show the host's directories. */
#ifndef HOST_IMAGE_MODULES_H
#define HOST_IMAGE_MODULES_H

#include "host/lib/buffer.h"

/* Adds the modules of a kernel with this release, as "6.1.0-56-cloud-amd64", as far as the package
 * that was unpacked with it (`kernel` is in its /boot) or the host's /lib/modules has them. */
void modules_add(struct buffer *archive, const char *kernel, const char *release);

#endif
