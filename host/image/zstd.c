/* SPDX-License-Identifier: BSD-2-Clause */
/* libzstd is loaded when a kernel needs it: each Debian system has it, because dpkg uses it. */
#include "host/image/zstd.h"

#include <dlfcn.h>
#include <string.h>

#include "host/lib/report.h"

#define LIBRARY     "libzstd.so.1"
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
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		die(STATUS_OURS, "the kernel is packed with Zstandard, and " LIBRARY
				 " cannot be loaded: install libzstd1");
	*(void **)&library.create = dlsym(handle, "ZSTD_createDStream");
	*(void **)&library.destroy = dlsym(handle, "ZSTD_freeDStream");
	*(void **)&library.run = dlsym(handle, "ZSTD_decompressStream");
	*(void **)&library.is_error = dlsym(handle, "ZSTD_isError");
	if (!library.create || !library.destroy || !library.run || !library.is_error)
		die(STATUS_OURS, LIBRARY " lacks functions: it is too old");
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
