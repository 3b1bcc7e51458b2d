/* SPDX-License-Identifier: BSD-2-Clause */
/* liblzma is loaded when a kernel needs it: each Debian system has it, because dpkg uses it. */
#include "host/image/unpack/xz.h"

#include <stdint.h>
#include <string.h>

#include "host/image/unpack/library.h"

#define MEMORY_LIMIT \
	(256ul << 20)          /* bytes of the decoder, whose dictionary a kernel's build chooses */
#define LARGEST    (1ul << 30) /* bytes of an unpacked kernel */
#define SIZE_BYTES 4           /* of the unpacked size behind the stream */

static uint32_t unpacked_size(const unsigned char *bytes, size_t size)
{
	uint32_t value;

	memcpy(&value, bytes + size - SIZE_BYTES, sizeof(value));
	return value;
}

/* Calls lzma_stream_buffer_decode(), which returns 0 (LZMA_OK) at the end of the stream. */
static bool decode(const unsigned char *from, size_t size, unsigned char *to, size_t room,
		   size_t *length)
{
	static struct library file = {"liblzma.so.5", "liblzma5", "XZ", NULL};
	int (*run)(uint64_t * limit, uint32_t flags, const void *allocator, const uint8_t *in,
		   size_t *in_at, size_t in_size, uint8_t *to, size_t *out_at, size_t out_size);
	uint64_t limit = MEMORY_LIMIT;
	size_t at = 0;

	*(void **)&run = library_function(&file, "lzma_stream_buffer_decode");
	*length = 0;
	return !run(&limit, 0, NULL, from, &at, size, to, length, room);
}

bool xz_unpack(struct buffer *out, const unsigned char *bytes, size_t size)
{
	static const unsigned char magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
	size_t room, length;

	if (size < sizeof(magic) + SIZE_BYTES || memcmp(bytes, magic, sizeof(magic)))
		return false;
	room = unpacked_size(bytes, size);
	if (!room || room > LARGEST ||
	    !decode(bytes, size - SIZE_BYTES, buffer_reserve(out, room), room, &length))
		return false;
	out->size += length;
	return true;
}
