/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes cpio archives of the "newc" kind (man 5 cpio) in memory. */
#include "host/image/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/lib/missing.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

#define HEADER_BYTES 110 /* of a member, before its name */
#define SIZE_AT      54  /* in it: the contents' size */
#define SIZE_DIGITS  8
#define PAGE_BYTES   4096

static void pad4(struct buffer *archive)
{
	buffer_append(archive, "\0\0\0", -archive->size & 3);
}

/* Returns the bytes of a member before its contents. */
static size_t head_bytes(const char *name)
{
	return (HEADER_BYTES + strlen(name) + 1 + 3) & ~(size_t)3;
}

static _Noreturn void die_large(const char *name)
{
	die(STATUS_OURS, "'%s' is too large for the image", name);
}

/* Adds a member's header and returns its position in the archive. */
static size_t member_head(struct buffer *archive, const char *name, unsigned mode, size_t size)
{
	static unsigned inode;
	char header[HEADER_BYTES + 1];
	size_t at = archive->size;

	if (size > UINT32_MAX)
		die_large(name);
	snprintf(header, sizeof(header),
		 "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", ++inode, mode, 0, 0,
		 1, 0, (unsigned)size, 0, 0, 0, 0, (unsigned)strlen(name) + 1, 0);
	buffer_append(archive, header, HEADER_BYTES);
	buffer_append(archive, name, strlen(name) + 1);
	pad4(archive);
	return at;
}

static void member(struct buffer *archive, const char *name, unsigned mode, const void *bytes,
		   size_t size)
{
	member_head(archive, name, mode, size);
	buffer_append(archive, bytes, size);
	pad4(archive);
}

/* As the kernel makes them: adding a file below /tmp must keep its write permission. */
static unsigned directory_mode(const char *path)
{
	return S_IFDIR | (strcmp(path, "/tmp") ? 0755 : 01777);
}

/* Adds the directories above `path`, except the ones added before. */
static void add_parents(struct buffer *archive, const char *path)
{
	static struct buffer known; /* their names, each ended by NUL */
	char *directory = format_text("%s", path);

	for (char *slash = strchr(directory + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool seen = false;

		*slash = '\0';
		for (size_t i = 0; i < known.size && !seen;
		     i += strlen((char *)known.bytes + i) + 1)
			seen = !strcmp((char *)known.bytes + i, directory);
		if (!seen) {
			buffer_append(&known, directory, strlen(directory) + 1);
			member(archive, directory + 1, directory_mode(directory), "", 0);
		}
		*slash = '/';
	}
	free(directory);
}

void archive_add(struct buffer *archive, const char *path, unsigned mode, const void *bytes,
		 size_t size)
{
	add_parents(archive, path);
	member(archive, path + 1, S_IFREG | mode, bytes, size);
}

void archive_add_link(struct buffer *archive, const char *path, const char *target)
{
	add_parents(archive, path);
	member(archive, path + 1, S_IFLNK | 0777, target, strlen(target));
}

void archive_begin_on_page(struct buffer *archive, const char *path, size_t size)
{
	static const char name[] = "filler", zeros[PAGE_BYTES];
	size_t begin = archive->size + head_bytes(name) + head_bytes(path + 1);

	member(archive, name, S_IFREG | 0444, zeros, -begin % PAGE_BYTES);
	member_head(archive, path + 1, S_IFREG | 0444, size);
}

void archive_add_directory(struct buffer *archive, const char *path)
{
	char *inside = format_text("%s/", path);

	add_parents(archive, inside);
	free(inside);
}

/* Adds a file by reading it into the archive: its size is known only afterwards. */
static void add_host_file(struct buffer *archive, const char *host_path, const char *path,
			  unsigned mode)
{
	size_t head, begin;
	char size[SIZE_DIGITS + 1];

	add_parents(archive, path);
	head = member_head(archive, path + 1, S_IFREG | mode, 0);
	begin = archive->size;
	append_file(archive, host_path, UINT32_MAX);
	if (archive->size - begin == UINT32_MAX)
		die_large(path);
	snprintf(size, sizeof(size), "%08X", (unsigned)(archive->size - begin));
	memcpy(archive->bytes + head + SIZE_AT, size, SIZE_DIGITS);
	pad4(archive);
}

/* A directory that is being added, and its ancestors. */
struct above {
	const struct above *up; /* NULL: what --add names */
	dev_t device;
	ino_t inode;
};

static void add_host(struct buffer *archive, const char *host_path, const char *path,
		     const struct above *above);

static void add_host_directory(struct buffer *archive, const char *host_path, const char *path,
			       const struct above *above)
{
	DIR *directory = opendir(host_path);
	struct dirent *entry;

	if (!directory)
		die(STATUS_OURS, "cannot read directory '%s': %s", host_path, strerror(errno));
	archive_add_directory(archive, path);
	while ((entry = readdir(directory))) {
		char *host_child, *child;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		host_child = format_text("%s/%s", host_path, entry->d_name);
		child = format_text("%s/%s", path, entry->d_name);
		add_host(archive, host_child, child, above);
		free(host_child);
		free(child);
	}
	closedir(directory);
}

/* Returns why an entry of a directory cannot be added; NULL: it can. */
static const char *flaw_of(const struct stat *info, bool there, const struct above *above)
{
	if (!there)
		return "which leads nowhere";
	if (!S_ISDIR(info->st_mode))
		return S_ISREG(info->st_mode) ? NULL : "which is neither a file nor a directory";
	for (; above; above = above->up)
		if (above->device == info->st_dev && above->inode == info->st_ino)
			return "which leads to a directory around it";
	return NULL;
}

/* Adds what links point to. A flawed entry in a directory is skipped with a message; a flawed
 * argument of --add is an error. */
static void add_host(struct buffer *archive, const char *host_path, const char *path,
		     const struct above *above)
{
	struct stat info = {0};
	bool there = !stat(host_path, &info);
	const char *flaw;

	if (!there && errno != ENOENT && errno != ELOOP)
		missing_file(STATUS_OURS, "add", host_path, false);
	flaw = flaw_of(&info, there, above);
	if (flaw && above) {
		fprintf(stderr, "barepmu: left out '%s', %s\n", host_path, flaw);
	} else if (!there) {
		missing_file(STATUS_OURS, "add", host_path, false);
	} else if (flaw) {
		die(STATUS_OURS, "cannot add '%s', %s", host_path, flaw);
	} else if (S_ISDIR(info.st_mode)) {
		struct above inner = {above, info.st_dev, info.st_ino};

		add_host_directory(archive, host_path, path, &inner);
	} else {
		add_host_file(archive, host_path, path, info.st_mode & 0777);
	}
}

void archive_add_host(struct buffer *archive, const char *host_path, const char *path)
{
	add_host(archive, host_path, path, NULL);
}

void archive_end(struct buffer *archive)
{
	member(archive, "TRAILER!!!", 0, "", 0);
}
