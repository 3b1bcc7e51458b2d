/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies back the directories that the machine may write: files, symbolic links, directories and
 * removed names. Nothing outside of them is followed or created, whatever the machine sends.
 */
#include "host/machine/link/bring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/host_frames.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/share.h"

/* The names that the machine saw in a directory: names that it does not send back were removed. */
struct listing {
	char *path;
	struct buffer names; /* each ended by NUL */
};

static void *listings;        /* of tsearch(3), by path */
static struct buffer staying; /* of the directory whose names are coming */

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct listing *)a)->path, ((const struct listing *)b)->path);
}

void bring_saw(const char *directory, const char *name)
{
	struct listing wanted = {.path = (char *)directory}, *listing;
	struct listing **found = tfind(&wanted, &listings, by_path);

	if (!found) {
		listing = allocate(sizeof(*listing));
		listing->path = format_text("%s", directory);
		found = tsearch(listing, &listings, by_path);
	}
	buffer_append(&(*found)->names, name, strlen(name) + 1);
}

/* Opens the path beneath the shared directory, without following symbolic links. */
static int open_below(int share, const char *path, uint64_t flags, uint64_t mode)
{
	struct open_how how = {.flags = flags | O_CLOEXEC,
			       .mode = mode,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};

	return (int)syscall(SYS_openat2, share, *path ? path : ".", &how, sizeof(how));
}

/* True when the directory open as `dir` has a subdirectory of this name. */
static bool is_directory(int dir, const char *name)
{
	struct stat info;

	return !fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) && S_ISDIR(info.st_mode);
}

/* Removes `name` from `dir`; for a directory, at `path`, removes the names that the machine saw in
 * it. */
static void take_out(int dir, const char *name, const char *path)
{
	struct listing wanted = {.path = (char *)path}, **found;
	int directory;

	if (!unlinkat(dir, name, 0) || !is_directory(dir, name))
		return;
	found = tfind(&wanted, &listings, by_path);
	directory = open_below(dir, name, O_RDONLY | O_DIRECTORY, 0);
	for (size_t at = 0; found && directory >= 0 && at < (*found)->names.size;) {
		const char *inner = (const char *)(*found)->names.bytes + at;
		char *inner_path = format_text("%s/%s", path, inner);

		take_out(directory, inner, inner_path);
		free(inner_path);
		at += strlen(inner) + 1;
	}
	close(directory);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/* Creates and opens the parent directory of `path`, below the one open as `share`. Replaces files
 * in the way. */
static int open_parent(int share, const char *path)
{
	int dir = open_below(share, "", O_RDONLY | O_DIRECTORY, 0), next;
	const char *slash;

	for (; dir >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		char *part = format_text("%.*s", (int)(slash - path), path);

		if (!is_directory(dir, part))
			unlinkat(dir, part, 0);
		mkdirat(dir, part, 0777);
		next = open_below(dir, part, O_RDONLY | O_DIRECTORY, 0);
		free(part);
		close(dir);
		dir = next;
	}
	return dir;
}

static _Noreturn void cannot(const char *path)
{
	die(STATUS_OURS, "cannot write '%s': %s", path, strerror(errno));
}

/* Opens the directory that contains `path`, or `path` itself. */
static int place_of(const char *path, bool itself)
{
	size_t length;
	const char *share = share_both_of(path, &length);
	char *whole = format_text("%s%s", path, itself ? "/." : "");
	int top, dir;

	if (!share || (!itself && !path[length]))
		die(STATUS_OURS, "the machine sent a file for '%s', which it may not write", path);
	top = share_open(share, share, O_RDONLY | O_DIRECTORY);
	dir = top < 0 ? -1 : open_parent(top, whole + length + 1);
	if (dir < 0)
		cannot(path);
	close(top);
	free(whole);
	return dir;
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

FILE *bring_file(const char *path)
{
	const char *name = name_of(path);
	int dir = place_of(path, false), fd;
	struct stat info;

	if (is_directory(dir, name) ||
	    (!fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) && !S_ISREG(info.st_mode)))
		take_out(dir, name, path);
	fd = open_below(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		cannot(path);
	close(dir);
	return fdopen(fd, "wb");
}

void bring_rights(const char *path, const unsigned char *rights, size_t length)
{
	const char *name = name_of(path);
	int dir = place_of(path, false), fd;
	struct stat info;
	uint32_t mode;

	if (length != sizeof(mode))
		die(STATUS_OURS, "the machine sent damaged permissions of '%s'", path);
	memcpy(&mode, rights, sizeof(mode));
	fd = open_below(dir, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0) /* unreadable as it is: then it has no readers to lose */
		fd = open_below(dir, name, O_WRONLY | O_NONBLOCK, 0);
	if (fd < 0 || fstat(fd, &info))
		cannot(path);
	if (S_ISREG(info.st_mode) && fchmod(fd, mode & 0777))
		cannot(path);
	close(fd);
	close(dir);
}

void bring_symlink(const char *path, const unsigned char *target, size_t length)
{
	char *to = format_text("%.*s", (int)length, (const char *)target);
	const char *name = name_of(path);
	int dir = place_of(path, false);

	take_out(dir, name, path);
	if (symlinkat(to, dir, name))
		cannot(path);
	close(dir);
	free(to);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the remaining names, sorted; *nr of them. */
static const char **sort_names(const struct buffer *names, size_t *nr)
{
	const char **sorted = allocate((names->size + 1) * sizeof(*sorted));

	*nr = 0;
	for (size_t at = 0; at < names->size; at += strlen(sorted[*nr - 1]) + 1)
		sorted[(*nr)++] = (const char *)names->bytes + at;
	qsort(sorted, *nr, sizeof(*sorted), by_name);
	return sorted;
}

/* Removes the entries of the directory open as `dir` that the machine saw and has removed. */
static void clear_out(int dir, const char *path)
{
	struct listing wanted = {.path = (char *)path};
	struct listing **found = tfind(&wanted, &listings, by_path);
	size_t nr;
	const char **stay = sort_names(&staying, &nr);

	for (size_t at = 0; found && at < (*found)->names.size;) {
		const char *name = (const char *)(*found)->names.bytes + at;
		char *inner = format_text("%s/%s", path, name);

		if (!bsearch(&name, stay, nr, sizeof(*stay), by_name))
			take_out(dir, name, inner);
		free(inner);
		at += strlen(name) + 1;
	}
	free(stay);
}

void bring_names(const char *path, const unsigned char *names, size_t length, bool last)
{
	int dir;

	if (length && names[length - 1])
		die(STATUS_OURS, "the machine sent a damaged list of names of '%s'", path);
	buffer_append(&staying, names, length);
	if (last) {
		dir = place_of(path, true);
		clear_out(dir, path);
		close(dir);
		staying.size = 0;
	}
}
