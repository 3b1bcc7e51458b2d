/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks cpio archives of the newc kind (cpio(5)): builds the tree; the files' bytes stay in the
 * archive. */
#include <linux/errno.h>
#include <linux/stat.h>
#include "kernel/base/number.h"
#include "kernel/base/string.h"
#include "kernel/fs/inode.h"
#include "kernel/process/cpio.h"
#include "kernel/time/clock.h"

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

static const char no_memory[] = "there is not enough memory for it";
static const char file_for_directory[] = "a file has the name of a directory";

/* Hard links: members with equal numbers share an inode, which is kept here until the archive ends;
 * only the last one has data. */
static struct {
	uint32_t ino;
	struct inode *inode;
} links[LINKS_PENDING];

static uint64_t align4(uint64_t offset)
{
	return (offset + 3) & ~3ul;
}

/* Parses eight hexadecimal digits; false if they are invalid. */
static bool parse_field(const uint8_t *digits, uint32_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < FIELD_DIGITS; i++) {
		unsigned digit = number_digit((char)digits[i]);

		if (digit > 15)
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

/* Reads the member at *offset and advances *offset. Returns NULL or an error message. */
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

/* Returns the inode shared with earlier members of this number, or a new one; referenced, or
 * NULL. */
static struct inode *member_inode(const struct member *member)
{
	uint32_t ino = member->field[FIELD_INO];
	struct inode **kept = &links[ino % LINKS_PENDING].inode;
	struct inode *inode;

	if (member->field[FIELD_NLINK] < 2)
		return inode_new(member->field[FIELD_MODE]);
	if (*kept && links[ino % LINKS_PENDING].ino == ino) {
		inode_get(*kept);
		return *kept;
	}
	inode = inode_new(member->field[FIELD_MODE]);
	if (!inode)
		return NULL;
	if (*kept)
		inode_put(*kept);
	inode_get(inode);
	links[ino % LINKS_PENDING].ino = ino;
	*kept = inode;
	return inode;
}

static void forget_links(void)
{
	for (unsigned i = 0; i < LINKS_PENDING; i++)
		if (links[i].inode)
			inode_put(links[i].inode);
	memset(links, 0, sizeof(links));
}

static void fill(struct inode *inode, const struct member *member)
{
	inode->mode = member->field[FIELD_MODE];
	inode->uid = member->field[FIELD_UID];
	inode->gid = member->field[FIELD_GID];
	inode->mtime_ns = inode->ctime_ns = inode->atime_ns = inode->host_ns =
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

/* Puts an inode into a directory; takes the reference. */
static const char *put_inode(struct inode *dir, const char *name, size_t length,
			     struct inode *inode)
{
	int err = inode ? dir_link(dir, name, length, inode) : -ENOMEM;

	if (inode)
		inode_put(inode);
	return err ? no_memory : NULL;
}

/* Moves *dir to its subdirectory of that name, which is made if necessary. */
static const char *cpio_enter(struct inode **dir, const char *name, size_t length)
{
	struct dirent *entry = dir_find(*dir, name, length);
	const char *fault;

	if (!entry) {
		fault = put_inode(*dir, name, length, inode_new(S_IFDIR | 0755));
		if (fault)
			return fault;
		entry = dir_find(*dir, name, length);
	}
	if (!S_ISDIR(entry->inode->mode))
		return "a member lies below a file";
	*dir = entry->inode;
	return NULL;
}

/* Puts a file into a directory, replacing one of that name. */
static const char *add_file(struct inode *dir, const char *name, size_t length,
			    const struct member *member)
{
	struct dirent *entry = dir_find(dir, name, length);
	struct inode *inode;
	const char *fault;

	if (entry && S_ISDIR(entry->inode->mode))
		return file_for_directory;
	if (entry)
		dir_unlink(entry);
	inode = member_inode(member);
	fault = put_inode(dir, name, length, inode);
	if (!fault)
		fill(inode, member);
	return fault;
}

/* Moves *name to its next component, skipping slashes and "."; returns its length, 0: no more. */
static size_t next_part(const char **name)
{
	const char *slash;

	while (**name == '/' || ((*name)[0] == '.' && ((*name)[1] == '/' || !(*name)[1])))
		(*name)++;
	slash = strchr(*name, '/');
	return slash ? (size_t)(slash - *name) : strlen(*name);
}

/* Adds one member to the tree, with missing directories of its path. */
static const char *add_member(const struct member *member)
{
	const char *name = member->name, *fault;
	struct inode *dir = root_inode;
	size_t length;

	while ((length = next_part(&name))) {
		if (length > NAME_LONGEST)
			return "a member's name is too long";
		if (length == 2 && name[0] == '.' && name[1] == '.')
			return "a member's name leads out of the tree";
		if (!name[length] && !S_ISDIR(member->field[FIELD_MODE]))
			return add_file(dir, name, length, member);
		fault = cpio_enter(&dir, name, length);
		if (fault)
			return fault;
		name += length;
	}
	if (!S_ISDIR(member->field[FIELD_MODE]))
		return file_for_directory;
	fill(dir, member);
	return NULL;
}

/* Adds all members to the tree, up to the first invalid one. */
static const char *unpack_members(const uint8_t *archive, uint64_t bytes)
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
			forget_links();
			continue;
		}
		fault = add_member(&member);
		if (fault)
			return fault;
	}
}

const char *cpio_unpack(const uint8_t *archive, uint64_t bytes)
{
	const char *fault = unpack_members(archive, bytes);

	forget_links();
	return fault;
}
