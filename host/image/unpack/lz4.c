/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks LZ4's legacy frames, which contain Linux kernels (lz4_Frame_format.md,
 * lz4_Block_format.md). */
#include "host/image/unpack/lz4.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LEGACY_MAGIC 0x184c2102u
#define LEGACY_BLOCK (8u << 20) /* bytes that a block unpacks to at most */
#define MIN_MATCH    4

/* The unread part of a block. */
struct input {
	const unsigned char *at, *end;
};

static uint32_t little32(const unsigned char *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Decodes a length: four bits of the token, continued in bytes while they are full. */
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

/* The output of a block: LEGACY_BLOCK bytes from `begin` on. */
struct output {
	unsigned char *begin, *at, *end;
};

/* Copies literals: the next `n` bytes of the input. */
static bool lz4_take(struct output *out, struct input *in, size_t n)
{
	if (n > (size_t)(in->end - in->at) || n > (size_t)(out->end - out->at))
		return false;
	memcpy(out->at, in->at, n);
	out->at += n;
	in->at += n;
	return true;
}

/* Copies a match: the `n` bytes that began `distance` before the end, which may overlap the
 * copy. */
static bool repeat(struct output *out, size_t distance, size_t n)
{
	const unsigned char *from;

	if (!distance || distance > (size_t)(out->at - out->begin) ||
	    n > (size_t)(out->end - out->at))
		return false;
	from = out->at - distance;
	if (distance >= n)
		memcpy(out->at, from, n);
	else
		for (size_t i = 0; i < n; i++)
			out->at[i] = from[i];
	out->at += n;
	return true;
}

/* Unpacks one block: sequences of literals and a match; the last one has no match. False:
 * damaged. */
static bool unpack_block(struct output *out, struct input in)
{
	while (in.at < in.end) {
		unsigned token = *in.at++;
		size_t distance;

		if (!lz4_take(out, &in, length(&in, token >> 4)))
			return false;
		if (in.at == in.end)
			return true;
		if (in.end - in.at < 2)
			return false;
		distance = in.at[0] | in.at[1] << 8;
		in.at += 2;
		if (!repeat(out, distance, length(&in, token & 15) + MIN_MATCH))
			return false;
	}
	return true;
}

/* Appends the unpacked block. */
static bool append_block(struct buffer *out, struct input in)
{
	unsigned char *begin = buffer_reserve(out, LEGACY_BLOCK);
	struct output block = {begin, begin, begin + LEGACY_BLOCK};

	if (!unpack_block(&block, in))
		return false;
	out->size += (size_t)(block.at - begin);
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
		if (!append_block(out, (struct input){bytes, bytes + block}))
			return false;
		bytes += block;
		size -= block;
	}
	return out->size > 0;
}
