/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware volumes, their files and sections: UEFI Platform Initialization Specification, volume 3,
 * sections 2 and 3. An image in memory is recognised by the start of its file, in which only the
 * base address changes when it is loaded.
 */
#include "host/profile/names/volume.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/profile/names/lzma.h"

#define DEPTH_MAX      8
#define UNPACKED_MAX   (64u << 20)
#define VOLUME_LENGTH  32
#define VOLUME_MAGIC   40
#define VOLUME_HEADER  48
#define VOLUME_MIN     56
#define FILE_HEADER    24
#define FILE_TYPE      18
#define FILE_FLAGS     19
#define FILE_LARGE     1
#define FILE_PAD       0xf0
#define NAME_MAX_BYTES 64
#define BASE_BYTES     8
#define COMPARED_MIN   64 /* bytes */
#define SAME_PERCENT   95

enum {
	SECTION_GUIDED = 0x02,
	SECTION_PE32 = 0x10,
	SECTION_TE = 0x12,
	SECTION_NAME = 0x15,
	SECTION_VOLUME = 0x17,
};

static const unsigned char lzma_guid[16] = {0x98, 0x58, 0x4e, 0xee, 0x14, 0x39, 0x59, 0x42,
					    0x9d, 0x6e, 0xdc, 0x7b, 0xd7, 0x94, 0x03, 0xcf};

struct span {
	const unsigned char *bytes;
	size_t size;
};

/* A driver's file: its image, and its name. */
struct driver {
	const unsigned char *guid;
	struct span image;
	char name[NAME_MAX_BYTES];
};

struct walk {
	struct profile *profile;
	size_t named;
	unsigned depth;
};

static void walk_volumes(struct walk *walk, struct span span);

static uint64_t number(struct span span, size_t at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes && at < span.size && span.size - at > i; i++)
		value |= (uint64_t)span.bytes[at + i] << 8 * i;
	return value;
}

static struct span part(struct span span, size_t at, size_t size)
{
	if (at > span.size)
		return (struct span){span.bytes, 0};
	return (struct span){span.bytes + at, size < span.size - at ? size : span.size - at};
}

/* ---- images ---- */

/* Returns where a PE or TE file has its base address, which loading changes. */
static size_t base_at(struct span image)
{
	size_t pe;

	if (image.size > 2 && image.bytes[0] == 'V')
		return 16;
	pe = number(image, 0x3c, 4);
	return pe + 24 + (number(image, pe + 24, 2) == 0x20b ? 24 : 28);
}

/* Compares the start of both, where the file is not zero: headers of small drivers are alike, and
 * the loader relocates few bytes. */
static bool is_image(const struct image *image, struct span file)
{
	size_t bytes = file.size, base = base_at(file), same = 0, all = 0;

	if (bytes > image->record->header_bytes)
		bytes = image->record->header_bytes;
	for (size_t i = 0; i < bytes; i++) {
		if (!file.bytes[i] || (i >= base && i < base + BASE_BYTES))
			continue;
		all++;
		same += image->header[i] == file.bytes[i];
	}
	return all >= COMPARED_MIN && same * 100 >= all * SAME_PERCENT;
}

static void guid_text(const unsigned char *g, char *text, size_t size)
{
	snprintf(text, size, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 g[3], g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8], g[9], g[10], g[11], g[12],
		 g[13], g[14], g[15]);
}

static void name_images(struct walk *walk, struct driver *driver)
{
	if (!driver->image.size)
		return;
	if (!*driver->name)
		guid_text(driver->guid, driver->name, sizeof(driver->name));
	for (uint32_t i = 0; i < walk->profile->nr_images; i++) {
		struct image *image = &walk->profile->images[i];

		if (!image->record || image->of_firmware || !is_image(image, driver->image))
			continue;
		image->of_firmware = true;
		walk->named++;
		if (!*image->name)
			snprintf(image->name, sizeof(image->name), "%s", driver->name);
	}
}

/* ---- sections ---- */

/* UTF-16; characters that a file name may have. */
static void take_name(struct driver *driver, struct span body)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < body.size && n < NAME_MAX_BYTES - 1; i += 2) {
		unsigned character = (unsigned)number(body, i, 2);

		if (!character)
			break;
		driver->name[n++] =
		    character > ' ' && character <= '~' && character != '/' ? (char)character : '_';
	}
	driver->name[n] = '\0';
}

static void walk_sections(struct walk *walk, struct driver *driver, struct span span);

static void take_guided(struct walk *walk, struct driver *driver, struct span section,
			size_t header)
{
	size_t offset = number(section, header + 16, 2);
	struct buffer unpacked = {NULL, 0, 0};

	if (section.size < header + 20 || offset < header + 20)
		return;
	if (!memcmp(section.bytes + header, lzma_guid, sizeof(lzma_guid))) {
		struct span body = part(section, offset, SIZE_MAX);

		if (lzma_decompress(body.bytes, body.size, UNPACKED_MAX, &unpacked))
			walk_sections(walk, driver, (struct span){unpacked.bytes, unpacked.size});
		name_images(walk, driver); /* while its bytes are there */
		driver->image.size = 0;
		free(unpacked.bytes);
	} else {
		walk_sections(walk, driver, part(section, offset, SIZE_MAX));
	}
}

static void take_section(struct walk *walk, struct driver *driver, struct span section,
			 size_t header)
{
	struct span body = part(section, header, SIZE_MAX);

	switch (section.bytes[3]) {
	case SECTION_GUIDED:
		take_guided(walk, driver, section, header);
		break;
	case SECTION_PE32:
	case SECTION_TE:
		driver->image = body;
		break;
	case SECTION_NAME:
		take_name(driver, body);
		break;
	case SECTION_VOLUME:
		walk_volumes(walk, body);
		break;
	}
}

static void walk_sections(struct walk *walk, struct driver *driver, struct span span)
{
	size_t at = 0;

	if (walk->depth == DEPTH_MAX)
		return;
	walk->depth++;
	while (at < span.size && span.size - at >= 8) {
		size_t size = number(span, at, 3), header = 4;

		if (size == 0xffffff) {
			size = number(span, at + 4, 4);
			header = 8;
		}
		if (size < header || size > span.size - at)
			break;
		take_section(walk, driver, part(span, at, size), header);
		at += (size + 3) & ~(size_t)3;
	}
	walk->depth--;
}

/* ---- files ---- */

static void walk_files(struct walk *walk, struct span volume, size_t at)
{
	while (at < volume.size && volume.size - at >= FILE_HEADER) {
		struct span file = part(volume, at, SIZE_MAX);
		struct driver driver = {.guid = file.bytes};
		bool large = file.bytes[FILE_FLAGS] & FILE_LARGE;
		size_t header = large ? FILE_HEADER + 8 : FILE_HEADER,
		       size = large ? number(file, FILE_HEADER, 8) : number(file, 20, 3);

		if (size < header || size > file.size)
			break;
		if (file.bytes[FILE_TYPE] != FILE_PAD) {
			walk_sections(walk, &driver, part(part(file, 0, size), header, SIZE_MAX));
			name_images(walk, &driver);
		}
		at += (size + 7) & ~(size_t)7;
	}
}

static void walk_volumes(struct walk *walk, struct span span)
{
	for (size_t at = 0; span.size >= VOLUME_MIN && at <= span.size - VOLUME_MIN; at += 8) {
		struct span volume = part(span, at, SIZE_MAX);
		size_t length = number(volume, VOLUME_LENGTH, 8),
		       header = number(volume, VOLUME_HEADER, 2),
		       extension = number(volume, VOLUME_HEADER + 4, 2);

		if (memcmp(volume.bytes + VOLUME_MAGIC, "_FVH", 4) || length < VOLUME_MIN ||
		    length > volume.size || header > length)
			continue;
		if (extension)
			header = extension + number(volume, extension + 16, 4);
		walk_files(walk, part(volume, 0, length), (header + 7) & ~(size_t)7);
		at += (length & ~(size_t)7) - 8;
	}
}

size_t volume_name_images(struct profile *profile, const unsigned char *bytes, size_t size)
{
	struct walk walk = {.profile = profile};

	walk_volumes(&walk, (struct span){bytes, size});
	return walk.named;
}
