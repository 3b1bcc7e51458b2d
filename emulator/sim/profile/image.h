/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the PE or TE image of a piece of code in the guest's memory. */
#ifndef SIM_PROFILE_IMAGE_H
#define SIM_PROFILE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/boot_profile.h"

struct image_header {
	uint64_t size; /* in memory, from its header on */
	uint32_t kind; /* enum profile_image_kind */
	uint32_t stripped;
	char name[PROFILE_NAME];
};

/* Reads the header at the start of `bytes` bytes. Returns false if there is none, or one whose
 * fields contradict each other; reads nothing outside of the bytes. */
bool image_parse(const uint8_t *start, size_t bytes, struct image_header *image);

/* Searches backward from `code` to `low` for the header of an image that contains `code`; memory
 * ends at `end`. Returns the header's address, or NULL. */
const uint8_t *image_search(const uint8_t *low, const uint8_t *code, const uint8_t *end,
			    struct image_header *image);

/* images.c: writes the record of an image at `base`, whose first `bytes` bytes are `header`.
 * Returns its number, or PROFILE_NONE if there are too many. */
uint32_t image_add(const struct image_header *image, uint64_t base, const uint8_t *header,
		   size_t bytes);

#endif
