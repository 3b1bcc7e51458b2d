/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib is loaded when a kernel needs it: each Debian system has it, because dpkg uses it. */
#include "host/image/unpack/gzip.h"

#include <stdint.h>
#include <string.h>

#include "host/image/unpack/library.h"

#define CHUNK_BYTES (1 << 20)
#define GZIP_WINDOW (15 + 16) /* inflateInit2(): the largest window; 16: a gzip header */
#define STREAM_END  1         /* Z_STREAM_END */

/* zlib's z_stream, whose layout its manual fixes. */
struct stream {
	const unsigned char *in;
	unsigned in_size;
	unsigned long in_total;
	unsigned char *out;
	unsigned out_size;
	unsigned long out_total;
	const char *message;
	void *state, *allocate, *release, *opaque;
	int type;
	unsigned long check, reserved;
};
_Static_assert(sizeof(struct stream) == 112, "zlib compares it");

static struct {
	int (*begin)(struct stream *stream, int window, const char *version, int size);
	int (*run)(struct stream *stream, int flush);
	int (*end)(struct stream *stream);
} zlib;

static void load(void)
{
	static struct library file = {"libz.so.1", "zlib1g", "gzip", NULL};

	*(void **)&zlib.begin = library_function(&file, "inflateInit2_");
	*(void **)&zlib.run = library_function(&file, "inflate");
	*(void **)&zlib.end = library_function(&file, "inflateEnd");
}

/* Appends what the stream gives until the member ends. */
static bool unpack(struct stream *stream, struct buffer *out)
{
	static unsigned char chunk[CHUNK_BYTES];
	int result = 0;

	while (!result) {
		stream->out = chunk;
		stream->out_size = sizeof(chunk);
		result = zlib.run(stream, 0);
		buffer_append(out, chunk, sizeof(chunk) - stream->out_size);
	}
	return result == STREAM_END;
}

bool gzip_unpack(struct buffer *out, const unsigned char *bytes, size_t size)
{
	static const unsigned char magic[] = {0x1f, 0x8b, 8};
	struct stream stream = {.in = bytes, .in_size = (unsigned)size};
	bool good;

	if (size < sizeof(magic) || size > UINT32_MAX || memcmp(bytes, magic, sizeof(magic)))
		return false;
	load();
	if (zlib.begin(&stream, GZIP_WINDOW, "1", sizeof(stream))) /* it compares the first digit */
		return false;
	good = unpack(&stream, out);
	zlib.end(&stream);
	return good;
}
