/* SPDX-License-Identifier: BSD-2-Clause */
/* The command image. */
#ifndef HOST_IMAGE_IMAGE_H
#define HOST_IMAGE_IMAGE_H

#include "host/options.h"

/* Ends the command for an option that image does not have. */
void image_check_option(const char *name);
/* Ends the command for a FILE that cannot be written. */
void image_check(const struct options *options);
void write_image(const struct options *options, const struct buffer *initrd);

#endif
