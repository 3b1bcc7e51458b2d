/* SPDX-License-Identifier: BSD-2-Clause */
/* The archive that the image starts with. */
#ifndef HOST_IMAGE_INITRD_H
#define HOST_IMAGE_INITRD_H

#include "host/options.h"

/* True if the machine sees host directories: only our own kernel has the link. */
bool directories_are_shared(const struct options *options);
/* Returns the archive with applications, program and run file. */
struct buffer build_initrd(const struct options *options);

#endif
