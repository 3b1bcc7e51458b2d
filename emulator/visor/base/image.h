/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's own image: moving it to another address. */
#ifndef VISOR_IMAGE_H
#define VISOR_IMAGE_H

#include <stdint.h>

/* First and last byte, where the image runs now. */
extern char image_start[], image_end[];

/*
 * Relocates the image, which was copied to `base` and linked for `linked`: `dynamic` is its dynamic
 * section there. Stops the machine if it has a relocation other than R_X86_64_RELATIVE.
 */
void image_relocate(uint64_t base, uint64_t linked, const void *dynamic);

#endif
