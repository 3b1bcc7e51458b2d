/* SPDX-License-Identifier: BSD-2-Clause */
/* The archive that the machine starts with: cpio(5). */
#ifndef KERNEL_CPIO_H
#define KERNEL_CPIO_H

#include <stdint.h>

/* Builds the tree from a newc archive. Returns NULL, or an error message of one line. Context:
 * start. */
const char *cpio_unpack(const uint8_t *archive, uint64_t bytes);

#endif
