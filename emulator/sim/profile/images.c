/* SPDX-License-Identifier: BSD-2-Clause */
/* The images that were found in memory. One that was overwritten is none: its header says so. */
#include <string.h>

#include "emulator/sim/profile/image.h"
#include "emulator/sim/profile/profile.h"
#include "emulator/sim/profile/profile_state.h"
#include "emulator/sim/profile/stream.h"

#define PAGES      (1u << 16)
#define PAGE_SHIFT 12
#define REACH      (16u << 20) /* of an image's code from its header */
#define PROOF      64          /* bytes of a header by which it is known again */

static struct found {
	uint64_t base, size;
	uint8_t proof[PROOF];
} found[PROFILE_IMAGES];
static uint32_t nr_found;

/* Pages without an image: their numbers and first bytes. */
static uint64_t without[PAGES];

struct memory {
	uint64_t address;
	const uint8_t *code, *low, *end;
};

static bool is_still_there(const struct found *image, const struct memory *memory)
{
	uint64_t back = memory->address - image->base;

	return (uint64_t)(memory->code - memory->low) >= back &&
	       (uint64_t)(memory->end - (memory->code - back)) >= PROOF &&
	       !memcmp(memory->code - back, image->proof, PROOF);
}

static uint32_t known_image(const struct memory *memory)
{
	for (uint32_t i = nr_found; i-- > 0;)
		if (memory->address - found[i].base < found[i].size &&
		    is_still_there(&found[i], memory))
			return i;
	return PROFILE_NONE;
}

/* Names the page by its number and contents. */
static uint64_t page_key(const struct memory *memory)
{
	uint64_t in_page = memory->address & ((1u << PAGE_SHIFT) - 1), bytes = 0;

	if ((uint64_t)(memory->code - memory->low) >= in_page &&
	    (uint64_t)(memory->end - memory->code) + in_page >= sizeof(bytes))
		memcpy(&bytes, memory->code - in_page, sizeof(bytes));
	return (bytes ^ memory->address >> PAGE_SHIFT) | 1;
}

uint32_t image_add(const struct image_header *image, uint64_t base, const uint8_t *header,
		   size_t there)
{
	struct profile_image record = {.when = profile_now(),
				       .base = base,
				       .size = image->size,
				       .id = nr_found,
				       .kind = image->kind,
				       .stripped = image->stripped};
	uint64_t bytes = image->size < PROFILE_HEADER ? image->size : PROFILE_HEADER;

	if (nr_found == PROFILE_IMAGES)
		return PROFILE_NONE;
	if (there < bytes)
		bytes = there;
	record.header_bytes = (uint32_t)bytes;
	memcpy(record.name, image->name, sizeof(record.name));
	stream_put(PROFILE_IMAGE, &record, sizeof(record), header, bytes);
	profile_new_image(nr_found);
	return nr_found++;
}

static uint32_t add(const struct image_header *image, const struct memory *memory,
		    const uint8_t *header)
{
	struct found *new = &found[nr_found];

	new->base = memory->address - (uint64_t)(memory->code - header);
	new->size = image->size;
	if (memory->end - header < PROOF)
		return PROFILE_NONE;
	memcpy(new->proof, header, PROOF);
	return image_add(image, new->base, header, (size_t)(memory->end - header));
}

uint32_t profile_image(uint64_t address, const uint8_t *code, const uint8_t *low,
		       const uint8_t *end)
{
	struct memory memory = {address, code, low, end};
	uint64_t key, *slot = &without[address >> PAGE_SHIFT & (PAGES - 1)];
	struct image_header image;
	const uint8_t *header;
	uint32_t known = known_image(&memory);

	if (known != PROFILE_NONE || nr_found == PROFILE_IMAGES)
		return known;
	key = page_key(&memory);
	if (*slot == key)
		return PROFILE_NONE;
	if ((uint64_t)(code - low) > REACH)
		low = code - REACH;
	header = image_search(low, code, end, &image);
	if (header)
		return add(&image, &memory, header);
	*slot = key;
	return PROFILE_NONE;
}
