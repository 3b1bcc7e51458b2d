/* SPDX-License-Identifier: BSD-2-Clause */
/* libzstd is loaded when a kernel needs it: each Debian system has it, because dpkg uses it. */
#include "host/image/unpack/zstd.h"

#include <string.h>

#include "host/image/unpack/library.h"

#define CHUNK_BYTES (1 << 20)

/* The buffers of libzstd's streaming functions, with ZSTD_inBuffer's and ZSTD_outBuffer's layout.
 */
struct source {
	const void *bytes;
	size_t size, at;
};
struct target {
	void *bytes;
	size_t size, at;
};

static struct {
	void *(*create)(void);
	size_t (*destroy)(void *stream);
	size_t (*run)(void *stream, struct target *to, struct source *from);
	unsigned (*is_error)(size_t result);
} library;

static void load(void)
{
	static struct library file = {"libzstd.so.1", "libzstd1", "Zstandard", NULL};

	*(void **)&library.destroy = library_function(&file, "ZSTD_freeDStream");
	*(void **)&library.run = library_function(&file, "ZSTD_decompressStream");
	*(void **)&library.is_error = library_function(&file, "ZSTD_isError");
	*(void **)&library.create = library_function(&file, "ZSTD_createDStream");
}

/* Appends what the stream gives until the frame ends. */
static bool unpack(void *stream, struct buffer *out, struct source from)
{
	static unsigned char chunk[CHUNK_BYTES];
	size_t left = 1; /* 0: the frame has ended */

	while (left) {
		struct target to = {chunk, sizeof(chunk), 0};
		size_t before = from.at;

		left = library.run(stream, &to, &from);
		if (library.is_error(left) || (left && !to.at && from.at == before))
			return false;
		buffer_append(out, chunk, to.at);
	}
	return true;
}

bool zstd_unpack(struct buffer *out, const unsigned char *bytes, size_t size)
{
	static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	void *stream;
	bool good;

	if (size < sizeof(magic) || memcmp(bytes, magic, sizeof(magic)))
		return false;
	if (!library.create)
		load();
	stream = library.create();
	good = stream && unpack(stream, out, (struct source){bytes, size, 0});
	library.destroy(stream);
	return good;
}
