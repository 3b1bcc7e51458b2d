/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Headers of images in the guest's memory. Microsoft PE and COFF Specification, sections 3 and
 * 5.1.1; UEFI Platform Initialization Specification, volume 1, section 15 (Terse Executable). The
 * guest may have written anything there.
 */
#include "emulator/sim/profile/image.h"

#include <stdio.h>
#include <string.h>

#define PE_POINTER   0x3c
#define PE_MAX_START 0x1000
#define PE_FILE      24 /* bytes of signature and file header */
#define PE_IMAGE     56 /* of the optional header: size of the image */
#define PE_DEBUG     6  /* of the data directories */
#define TE_HEADER    40
#define SECTION      40
#define TE_SECTIONS  16
#define DEBUG_ENTRY  28
#define DEBUG_MAX    8 /* entries */
#define CODEVIEW     2
#define MACHINE_32   0x14c
#define MACHINE_64   0x8664
#define PLUS         0x20b
#define IMAGE_MAX    (64u << 20)
#define ALIGN        4

struct bytes {
	const uint8_t *start;
	size_t size;
};

static uint16_t half(const struct bytes *bytes, uint64_t at)
{
	uint16_t value = 0;

	if (at <= bytes->size && bytes->size - at >= sizeof(value))
		memcpy(&value, bytes->start + at, sizeof(value));
	return value;
}

static uint32_t word(const struct bytes *bytes, uint64_t at)
{
	return half(bytes, at) | (uint32_t)half(bytes, at + 2) << 16;
}

static bool is_text(const struct bytes *bytes, uint64_t at, const char *text)
{
	size_t length = strlen(text);

	return at <= bytes->size && bytes->size - at >= length &&
	       !memcmp(bytes->start + at, text, length);
}

/* Copies the path of a CodeView entry: printable characters up to a NUL. */
static void copy_name(const struct bytes *bytes, uint64_t at, char name[PROFILE_NAME])
{
	size_t n = 0;

	for (; at < bytes->size && n < PROFILE_NAME - 1; at++) {
		uint8_t character = bytes->start[at];

		if (character < ' ' || character > '~')
			break;
		name[n++] = (char)character;
	}
	name[n] = '\0';
}

/* The path follows signature and identification, whose length differs. */
static void read_codeview(const struct bytes *bytes, uint64_t at, char name[PROFILE_NAME])
{
	static const struct {
		const char *signature;
		uint8_t path;
	} kinds[] = {{"NB10", 16}, {"RSDS", 24}, {"MTOC", 20}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is_text(bytes, at, kinds[i].signature))
			copy_name(bytes, at + kinds[i].path, name);
}

/* `moved`: by which the directory's addresses are above the bytes' offsets. */
static void read_debug(const struct bytes *bytes, uint32_t address, uint32_t size, uint32_t moved,
		       char name[PROFILE_NAME])
{
	for (uint32_t i = 0; i < DEBUG_MAX && (i + 1) * DEBUG_ENTRY <= size; i++) {
		uint64_t at = (uint64_t)address + i * DEBUG_ENTRY - moved;
		uint32_t data = word(bytes, at + 20);

		if (address >= moved && word(bytes, at + 12) == CODEVIEW && data >= moved)
			read_codeview(bytes, (uint64_t)data - moved, name);
	}
}

static bool parse_te(const struct bytes *bytes, struct image_header *image)
{
	unsigned machine = half(bytes, 2), sections = half(bytes, 4) & 0xff;
	uint64_t top = 0;

	image->stripped = half(bytes, 6);
	if ((machine != MACHINE_32 && machine != MACHINE_64) || !sections ||
	    sections > TE_SECTIONS || image->stripped < TE_HEADER)
		return false;
	for (unsigned i = 0; i < sections; i++) {
		uint64_t at = TE_HEADER + i * SECTION;
		uint32_t in_memory = word(bytes, at + 8), in_file = word(bytes, at + 16);
		uint64_t end =
		    (uint64_t)word(bytes, at + 12) + (in_memory > in_file ? in_memory : in_file);

		top = end > top ? end : top;
	}
	image->stripped -= TE_HEADER;
	if (top <= image->stripped || top > IMAGE_MAX)
		return false;
	image->size = top - image->stripped;
	image->kind = machine == MACHINE_32 ? IMAGE_TE32 : IMAGE_TE64;
	read_debug(bytes, word(bytes, 32), word(bytes, 36), image->stripped, image->name);
	return true;
}

static bool parse_pe(const struct bytes *bytes, struct image_header *image)
{
	uint32_t pe = word(bytes, PE_POINTER), optional = pe + PE_FILE, directories;

	if (pe < PE_POINTER + 4 || pe > PE_MAX_START || !is_text(bytes, pe, "PE") ||
	    half(bytes, pe + 2))
		return false;
	image->kind = half(bytes, optional) == PLUS ? IMAGE_PE64 : IMAGE_PE32;
	image->size = word(bytes, optional + PE_IMAGE);
	if (!image->size || image->size > IMAGE_MAX)
		return false;
	directories = optional + (image->kind == IMAGE_PE64 ? 112 : 96) + PE_DEBUG * 8;
	read_debug(bytes, word(bytes, directories), word(bytes, directories + 4), 0, image->name);
	return true;
}

bool image_parse(const uint8_t *start, size_t bytes, struct image_header *image)
{
	const struct bytes all = {start, bytes};

	memset(image, 0, sizeof(*image));
	if (is_text(&all, 0, "VZ"))
		return parse_te(&all, image);
	return is_text(&all, 0, "MZ") && parse_pe(&all, image);
}

const uint8_t *image_search(const uint8_t *low, const uint8_t *code, const uint8_t *end,
			    struct image_header *image)
{
	for (const uint8_t *at = code - ((uintptr_t)code & (ALIGN - 1)); at >= low; at -= ALIGN)
		if (end - at >= ALIGN && at[1] == 'Z' &&
		    image_parse(at, (size_t)(end - at), image) &&
		    image->size > (uint64_t)(code - at))
			return at;
	return NULL;
}
