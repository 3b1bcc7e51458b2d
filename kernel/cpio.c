/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacking of cpio archives of the newc kind (cpio(5)): the tree is built, the files' bytes stay
 * where they are. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/clock.h"
#include "kernel/inode.h"
#include "kernel/string.h"

#define MAGIC_BYTES   6
#define FIELD_DIGITS  8
#define HEADER_BYTES  110
#define LINKS_PENDING 64 /* hard-linked files whose data has not come yet */

/* Fields of a header, in their order. */
enum {
	FIELD_INO,
	FIELD_MODE,
	FIELD_UID,
	FIELD_GID,
	FIELD_NLINK,
	FIELD_MTIME,
	FIELD_SIZE,
	FIELD_DEV_MAJOR,
	FIELD_DEV_MINOR,
	FIELD_RDEV_MAJOR,
	FIELD_RDEV_MINOR,
	FIELD_NAME_BYTES,
	FIELD_CHECK,
	NR_FIELDS
};

struct member {
	uint32_t field[NR_FIELDS];
	const char *name; /* within the archive, NUL-terminated */
	const uint8_t *data;
};

/* Hard links: members with the same number share an inode; only the last one has the data. */
static struct {
	uint32_t ino;
	struct inode *inode;
} links[LINKS_PENDING];

static uint64_t align4(uint64_t offset)
{
	return (offset + 3) & ~3ul;
}

/* Eight hexadecimal digits; false when they are not. */
static bool parse_field(const uint8_t *digits, uint32_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < FIELD_DIGITS; i++) {
		unsigned digit = digits[i];

		if (digit >= '0' && digit <= '9')
			digit -= '0';
		else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
			digit = (digit | 0x20) - 'a' + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

/* Reads the member at *offset and moves *offset behind it. Returns NULL or what is wrong. */
static const char *read_member(const uint8_t *archive, uint64_t bytes, uint64_t *offset,
			       struct member *member)
{
	const uint8_t *header = archive + *offset;
	uint64_t name_end, data;

	if (bytes - *offset < HEADER_BYTES)
		return "it is cut off within a header";
	if (memcmp(header, "070701", MAGIC_BYTES) != 0 &&
	    memcmp(header, "070702", MAGIC_BYTES) != 0)
		return *offset ? "a member's header is corrupt"
			       : "it does not start with a newc header";
	for (unsigned i = 0; i < NR_FIELDS; i++)
		if (!parse_field(header + MAGIC_BYTES + i * FIELD_DIGITS, &member->field[i]))
			return "a member's header is corrupt";
	name_end = *offset + HEADER_BYTES + member->field[FIELD_NAME_BYTES];
	data = align4(name_end);
	if (!member->field[FIELD_NAME_BYTES] || member->field[FIELD_NAME_BYTES] > PATH_SIZE)
		return "a member's name has no length that can be";
	if (data > bytes || member->field[FIELD_SIZE] > bytes - data)
		return "it is cut off within a member";
	member->name = (const char *)header + HEADER_BYTES;
	if (member->name[member->field[FIELD_NAME_BYTES] - 1])
		return "a member's name has no end";
	member->data = archive + data;
	*offset = align4(data + member->field[FIELD_SIZE]);
	if (*offset > bytes)
		*offset = bytes;
	return NULL;
}

/* The inode of an earlier member with this number, or NULL; remembers `inode` if it is given. */
static struct inode *hard_link(uint32_t ino, struct inode *inode)
{
	unsigned slot = ino % LINKS_PENDING;

	if (inode) {
		links[slot].ino = ino;
		links[slot].inode = inode;
	}
	return links[slot].inode && links[slot].ino == ino ? links[slot].inode : NULL;
}

static void fill(struct inode *inode, const struct member *member)
{
	inode->mode = member->field[FIELD_MODE];
	inode->uid = member->field[FIELD_UID];
	inode->gid = member->field[FIELD_GID];
	inode->mtime_ns = inode->ctime_ns = inode->atime_ns =
	    member->field[FIELD_MTIME] * NS_PER_SEC;
	if (S_ISDIR(inode->mode))
		return;
	inode->major = member->field[FIELD_RDEV_MAJOR];
	inode->minor = member->field[FIELD_RDEV_MINOR];
	if (member->field[FIELD_SIZE]) {
		inode->size = inode->archive_bytes = member->field[FIELD_SIZE];
		inode->archive = member->data;
	}
}

/* Puts one member into the tree; folders on its way that are missing are made. */
static const char *add_member(const struct member *member)
{
	static const char no_memory[] = "there is not enough memory for it";
	const char *name = member->name, *slash;
	struct inode *dir = root_inode, *inode = NULL;
	struct dirent *entry;
	bool shared = !S_ISDIR(member->field[FIELD_MODE]) && member->field[FIELD_NLINK] > 1;

	for (;;) {
		size_t length;

		while (*name == '/' || (name[0] == '.' && (name[1] == '/' || !name[1])))
			name++;
		if (!*name) {
			fill(dir, member);
			return NULL;
		}
		slash = strchr(name, '/');
		length = slash ? (size_t)(slash - name) : strlen(name);
		if (length > NAME_LONGEST)
			return "a member's name is too long";
		if (length == 2 && name[0] == '.' && name[1] == '.')
			return "a member's name leads out of the tree";
		entry = dir_find(dir, name, length);
		if (entry && (slash || S_ISDIR(member->field[FIELD_MODE]))) {
			if (!S_ISDIR(entry->inode->mode))
				return "a member lies below a file";
			dir = entry->inode;
			name += length;
			continue;
		}
		if (entry && S_ISDIR(entry->inode->mode))
			return "a file has the name of a folder";
		if (entry)
			dir_unlink(entry);
		if (shared && !slash)
			inode = hard_link(member->field[FIELD_INO], NULL);
		if (inode)
			inode_get(inode);
		else
			inode = inode_new(slash ? S_IFDIR | 0755 : member->field[FIELD_MODE]);
		if (!inode || dir_link(dir, name, length, inode))
			return no_memory;
		inode_put(inode);
		if (!slash) {
			if (shared)
				hard_link(member->field[FIELD_INO], inode);
			fill(inode, member);
			return NULL;
		}
		dir = inode;
		inode = NULL;
		name += length;
	}
}

const char *cpio_unpack(const uint8_t *archive, uint64_t bytes)
{
	struct member member;
	uint64_t offset = 0;
	const char *fault;
	bool ended = false;

	for (;;) {
		/* Archives may follow each other, with zeros between them. */
		while (offset + 4 <= bytes && offset &&
		       memcmp(archive + offset, "\0\0\0\0", 4) == 0)
			offset += 4;
		if (offset && bytes - offset < HEADER_BYTES)
			return ended ? NULL : "it is cut off: its end is missing";
		fault = read_member(archive, bytes, &offset, &member);
		if (fault)
			return fault;
		ended = strcmp(member.name, "TRAILER!!!") == 0;
		if (ended) {
			memset(links, 0, sizeof(links));
			continue;
		}
		fault = add_member(&member);
		if (fault)
			return fault;
	}
}
