/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a cpio archive of the newc format (cpio(5)). */
#include "emulator/visor/start/bundle.h"

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/lib.h"

#define FIELD 8 /* hexadecimal digits */

struct newc_header {
	char magic[6]; /* "070701", or "070702" with a checksum */
	char inode[FIELD], mode[FIELD], uid[FIELD], gid[FIELD], links[FIELD], time[FIELD];
	char bytes[FIELD];
	char device_major[FIELD], device_minor[FIELD], node_major[FIELD], node_minor[FIELD];
	char name_bytes[FIELD];
	char check[FIELD];
};

_Static_assert(sizeof(struct newc_header) == 110, "newc");

#define CORRUPT() fail("the bundle is not a whole cpio archive (newc)")

static uint64_t number(const char digits[FIELD])
{
	uint64_t value = 0;

	for (unsigned i = 0; i < FIELD; i++) {
		char c = (char)(digits[i] | 0x20);

		if (digits[i] >= '0' && digits[i] <= '9')
			value = value << 4 | (uint64_t)(digits[i] - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			CORRUPT();
	}
	return value;
}

static uint64_t round4(uint64_t offset)
{
	return (offset + 3) & ~3ull;
}

/* Returns the member with the header at `offset`; its name, and the offset of the next one. */
static struct blob member_at(struct blob archive, uint64_t offset, const char **name,
			     uint64_t *next)
{
	const struct newc_header *header = (const struct newc_header *)(archive.data + offset);
	uint64_t name_bytes, data, bytes;

	if (archive.bytes - offset < sizeof(*header) || memcmp(header->magic, "07070", 5))
		CORRUPT();
	name_bytes = number(header->name_bytes);
	bytes = number(header->bytes);
	data = round4(offset + sizeof(*header) + name_bytes);
	if (!name_bytes || data > archive.bytes || bytes > archive.bytes - data)
		CORRUPT();
	*name = (const char *)(header + 1);
	if ((*name)[name_bytes - 1])
		CORRUPT();
	*next = round4(data + bytes);
	return (struct blob){archive.data + data, bytes};
}

static bool same(const char *a, const char *b)
{
	return strlen(a) == strlen(b) && !memcmp(a, b, strlen(a));
}

struct blob bundle_member(struct blob archive, const char *wanted)
{
	uint64_t offset = 0, next;
	const char *name;

	for (;; offset = next) {
		struct blob member;

		if (offset >= archive.bytes)
			CORRUPT();
		member = member_at(archive, offset, &name, &next);
		if (same(name, "TRAILER!!!"))
			return (struct blob){0};
		if (same(name, wanted))
			return member;
	}
}
