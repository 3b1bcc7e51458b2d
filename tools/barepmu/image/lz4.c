/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks LZ4's legacy frames, which Linux kernels are packed in (lz4_Frame_format.md,
 * lz4_Block_format.md). */
#include "tools/barepmu/barepmu.h"

#include <stdlib.h>
#include <string.h>

#define LEGACY_MAGIC 0x184c2102u
#define LEGACY_BLOCK (8u << 20) /* bytes that a block unpacks to at most */
#define MIN_MATCH    4

/* What is left to read of a block. */
struct input {
	const unsigned char *at, *end;
};

static uint32_t little32(const unsigned char *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A length: four bits of the token, continued in bytes while they are full. */
static size_t length(struct input *in, unsigned nibble)
{
	size_t n = nibble;
	unsigned char byte = 255;

	if (nibble < 15)
		return n;
	while (byte == 255 && in->at < in->end) {
		byte = *in->at++;
		n += byte;
	}
	return n;
}

/* Repeats `n` bytes from `distance` before the end; they may overlap what they make. */
static bool repeat(struct buffer *out, size_t block, size_t distance, size_t n)
{
	if (!distance || distance > out->size - block)
		return false;
	for (; n; n--) {
		unsigned char byte = out->bytes[out->size - distance];

		buffer_append(out, &byte, 1);
	}
	return true;
}

/* One block: sequences of literals and a match. False: damaged. */
static bool unpack_block(struct buffer *out, struct input in)
{
	size_t block = out->size;

	while (in.at < in.end) {
		unsigned token = *in.at++;
		size_t literals = length(&in, token >> 4), distance;

		if (literals > (size_t)(in.end - in.at))
			return false;
		buffer_append(out, in.at, literals);
		in.at += literals;
		if (in.at == in.end)
			return true; /* the last sequence has no match */
		if (in.end - in.at < 2)
			return false;
		distance = in.at[0] | in.at[1] << 8;
		in.at += 2;
		if (!repeat(out, block, distance, length(&in, token & 15) + MIN_MATCH))
			return false;
		if (out->size - block > LEGACY_BLOCK)
			return false;
	}
	return true;
}

bool lz4_unpack(struct buffer *out, const unsigned char *bytes, size_t size)
{
	if (size < 4 || little32(bytes) != LEGACY_MAGIC)
		return false;
	bytes += 4;
	size -= 4;
	while (size >= 4) {
		size_t block = little32(bytes);

		bytes += 4;
		size -= 4;
		if (block > size)
			return out->size > 0; /* after the blocks the kernel's build writes the
						 unpacked size */
		if (!unpack_block(out, (struct input){bytes, bytes + block}))
			return false;
		bytes += block;
		size -= block;
	}
	return out->size > 0;
}
