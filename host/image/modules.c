/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the modules for a file system in user space and for overlays along with a Linux kernel. */
#include "host/image/modules.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/image/archive.h"
#include "host/image/unpack/gzip.h"
#include "host/image/unpack/xz.h"
#include "host/image/unpack/zstd.h"
#include "host/lib/text.h"

#define LARGEST_MODULE (16u << 20)

static const struct module {
	const char *file, *place;
} modules[] = {
    {"fs/fuse/fuse.ko", "/.barepmu/fuse.ko"},
    {"fs/overlayfs/overlay.ko", "/.barepmu/overlay.ko"},
};

/* As xz_unpack(), for a file that does not end with its unpacked size. */
static bool unpack_file(struct buffer *out, const unsigned char *bytes, size_t size)
{
	static const uint32_t room = LARGEST_MODULE;
	struct buffer whole = {NULL, 0, 0};
	bool good;

	buffer_append(&whole, bytes, size);
	buffer_append(&whole, &room, sizeof(room));
	good = xz_unpack(out, whole.bytes, whole.size);
	free(whole.bytes);
	return good;
}

/* How distributions pack modules (CONFIG_MODULE_COMPRESS_*). */
static const struct packing {
	const char *suffix;
	bool (*unpack)(struct buffer *out, const unsigned char *bytes, size_t size);
} packings[] = {{"", NULL}, {".xz", unpack_file}, {".zst", zstd_unpack}, {".gz", gzip_unpack}};

/* Reads and unpacks a module from a file system that begins at `root`; false: it is not there. */
static bool read_module(const char *root, const char *release, const struct module *module,
			struct buffer *out)
{
	const size_t nr = sizeof(packings) / sizeof(packings[0]);
	bool good = false;

	for (size_t i = 0; !good && i < nr; i++) {
		char *path = format_text("%s/lib/modules/%s/kernel/%s%s", root, release,
					 module->file, packings[i].suffix);

		if (!access(path, R_OK)) {
			struct buffer file = read_file(path);

			good =
			    !packings[i].unpack || packings[i].unpack(out, file.bytes, file.size);
			if (!packings[i].unpack)
				buffer_append(out, file.bytes, file.size);
			free(file.bytes);
		}
		free(path);
	}
	return good;
}

void modules_add(struct buffer *archive, const char *kernel, const char *release)
{
	const char *boot = strstr(kernel, "/boot/");
	char *root = format_text("%.*s", boot ? (int)(boot - kernel) : 0, kernel);

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		struct buffer module = {NULL, 0, 0};

		if (read_module(root, release, &modules[i], &module) ||
		    read_module("", release, &modules[i], &module))
			archive_add(archive, modules[i].place, 0444, module.bytes, module.size);
		free(module.bytes);
	}
	free(root);
}
