/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's file. */
#ifndef HOST_IMAGE_KERNEL_H
#define HOST_IMAGE_KERNEL_H

#include "host/lib/buffer.h"

/* Returns FILE:START:LENGTH:OFFSET of the kernel's text, as `record -K` takes it. */
char *kernel_text(void);
/* Returns the kernel's file up to the end of its segments, without debug information. */
struct buffer kernel_to_load(void);

#endif
