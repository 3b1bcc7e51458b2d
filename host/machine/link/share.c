/* SPDX-License-Identifier: BSD-2-Clause */
/* The host directories that the machine sees: their choice, and their contents on request. */
#include "host/machine/link/share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "abi/host_link.h"
#include "host/lib/text.h"
#include "host/machine/link/bring.h"

#define HEAD_BYTES offsetof(struct link_entry, text)

/* Directories of libraries, interpreters and their data. */
static const char *const system_directories[] = {"/usr", "/lib",  "/lib32", "/lib64",
						 "/bin", "/sbin", "/etc",   NULL};

static struct words shared;      /* absolute paths */
static const struct words *both; /* the ones that the machine may write */

/* True when no part of the path is empty, "." or "..". */
static bool is_plain(const char *path)
{
	const char *end;

	for (; *path == '/'; path = end) {
		end = strchrnul(path + 1, '/');
		if (end - path == 1 || (end - path == 2 && path[1] == '.') ||
		    (end - path == 3 && path[1] == '.' && path[2] == '.'))
			return false;
	}
	return !*path;
}

/* Returns the shared directory that is or contains the path, or NULL. */
static const char *directory_of(const struct words *directories, const char *path)
{
	for (int i = 0; i < directories->nr && is_plain(path); i++) {
		size_t length = strlen(directories->word[i]);

		if (!strncmp(path, directories->word[i], length) &&
		    (path[length] == '/' || !path[length]))
			return directories->word[i];
	}
	return NULL;
}

/* Returns the directory from the machine's start: nothing that the machine sends replaces it. */
static int top_of(const char *directory)
{
	static struct top {
		struct top *next;
		const char *directory;
		int fd;
	} * tops;
	struct top *top = tops;

	while (top && strcmp(top->directory, directory))
		top = top->next;
	if (!top) {
		top = allocate(sizeof(*top));
		*top = (struct top){tops, directory,
				    open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
		tops = top;
	}
	return top->fd;
}

int share_open(const char *directory, const char *path, uint64_t flags)
{
	const char *inner = path + strlen(directory);
	struct open_how how = {.flags = flags | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};

	return (int)syscall(SYS_openat2, top_of(directory), *inner ? inner + 1 : ".", &how,
			    sizeof(how));
}

/* Adds the directories that are shared unless --no-share: the system's, and the working directory.
 */
static void add_usual(struct words *directories, const struct options *options)
{
	char *here;

	if (options->no_share)
		return;
	for (int i = 0; system_directories[i]; i++)
		if (!access(system_directories[i], X_OK))
			add_word(directories, system_directories[i]);
	here = getcwd(NULL, 0);
	if (here && strcmp(here, "/"))
		add_word(directories, here);
}

const struct words *share_choose(const struct options *options)
{
	add_usual(&shared, options);
	for (int i = 0; i < options->share.nr; i++)
		add_word(&shared, options->share.word[i]);
	both = &options->share_both;
	for (int i = 0; i < shared.nr; i++)
		top_of(shared.word[i]);
	for (int i = 0; i < both->nr; i++)
		top_of(both->word[i]);
	return &shared;
}

bool share_shows(const struct options *options, const char *path)
{
	static struct words usual;

	if (!usual.nr)
		add_usual(&usual, options);
	return directory_of(&usual, path) || directory_of(&options->share, path) ||
	       directory_of(&options->share_both, path);
}

const char *share_both_of(const char *path, size_t *length)
{
	const char *directory = both ? directory_of(both, path) : NULL;

	*length = directory ? strlen(directory) : 0;
	return directory;
}

static void add_name(struct buffer *list, int directory, const char *name)
{
	char target[LINK_PATH];
	struct link_entry entry = {0};
	struct stat info;
	ssize_t length = 0;

	if (fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) ||
	    !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode) || S_ISLNK(info.st_mode)))
		return;
	if (S_ISLNK(info.st_mode))
		length = readlinkat(directory, name, target, sizeof(target));
	if (length < 0)
		return;
	entry.mode = info.st_mode;
	entry.size = (uint64_t)info.st_size;
	entry.mtime_ns = info.st_mtim.tv_sec * 1000000000l + info.st_mtim.tv_nsec;
	entry.name_bytes = (uint16_t)strlen(name);
	entry.target_bytes = (uint16_t)length;
	entry.bytes = (uint32_t)(HEAD_BYTES + entry.name_bytes + (size_t)length + 7) & ~7u;
	buffer_append(list, &entry, HEAD_BYTES);
	buffer_append(list, name, entry.name_bytes);
	buffer_append(list, target, (size_t)length);
	buffer_append(list, "\0\0\0\0\0\0\0",
		      entry.bytes - HEAD_BYTES - entry.name_bytes - (size_t)length);
}

/* A list that exceeded its room: the machine repeats the request with more. */
static struct {
	char *path;
	struct buffer list;
} kept;

/* Returns the kept list of the directory, once. False: it is that of another. */
static bool give_kept(const char *path, unsigned char *to, uint64_t room, int64_t *bytes)
{
	bool same = kept.path && !strcmp(kept.path, path) && kept.list.size <= room;

	if (same) {
		memcpy(to, kept.list.bytes, kept.list.size);
		*bytes = (int64_t)kept.list.size;
	}
	free(kept.path);
	free(kept.list.bytes);
	kept.path = NULL;
	kept.list = (struct buffer){NULL, 0, 0};
	return same;
}

/* Lists by name: the order of our file system must not reach the machine. */
static int64_t list_directory(int directory, const char *path, unsigned char *to, uint64_t room)
{
	struct dirent **names;
	struct buffer list = {NULL, 0, 0};
	int count = scandirat(directory, ".", &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		if (strcmp(names[i]->d_name, ".") && strcmp(names[i]->d_name, "..")) {
			add_name(&list, directory, names[i]->d_name);
			if (both && directory_of(both, path))
				bring_saw(path, names[i]->d_name);
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	if (list.size > room) {
		kept.path = format_text("%s", path);
		kept.list = list;
		return (int64_t)list.size;
	}
	if (list.size)
		memcpy(to, list.bytes, list.size);
	free(list.bytes);
	return (int64_t)list.size;
}

static int64_t copy_file(int fd, uint64_t offset, unsigned char *to, uint64_t room)
{
	uint64_t done = 0;
	ssize_t n = 0;

	while (done < room && (n = pread(fd, to + done, room - done, (off_t)(offset + done))) > 0)
		done += (uint64_t)n;
	return n < 0 ? -EIO : (int64_t)done;
}

/* Opens a path as the machine sees it. Returns a negative errno on failure. */
static int open_seen(const char *path, uint64_t flags)
{
	const char *top = directory_of(&shared, path);
	int fd = top ? share_open(top, path, O_RDONLY | flags) : -1;

	return fd < 0 ? top ? -errno : -EACCES : fd;
}

int64_t share_list(const char *path, unsigned char *to, uint64_t room)
{
	int64_t result;
	int fd;

	if (directory_of(&shared, path) && give_kept(path, to, room, &result))
		return result;
	fd = open_seen(path, O_DIRECTORY);
	if (fd < 0)
		return fd;
	result = list_directory(fd, path, to, room);
	close(fd);
	return result;
}

int64_t share_read(const char *path, uint64_t offset, const struct iovec *to, int nr)
{
	int fd = open_seen(path, O_NONBLOCK);
	int64_t done = 0, came = 0;

	if (fd < 0)
		return fd;
	for (int i = 0; i < nr && came >= 0; i++) {
		came = copy_file(fd, offset + (uint64_t)done, to[i].iov_base, to[i].iov_len);
		done += came > 0 ? came : 0;
		if (came < (int64_t)to[i].iov_len)
			break;
	}
	close(fd);
	return came < 0 ? came : done;
}

int64_t share_look(const char *path, unsigned char *to, uint64_t room)
{
	const char *top = directory_of(&shared, path), *slash = strrchr(path, '/');
	struct buffer list = {NULL, 0, 0};
	char *directory;
	int fd;

	if (!top || strlen(path) == strlen(top))
		return -EACCES;
	directory = format_text("%.*s", (int)(slash - path), path);
	fd = share_open(top, directory, O_RDONLY | O_DIRECTORY);
	free(directory);
	if (fd < 0)
		return -errno;
	add_name(&list, fd, slash + 1);
	close(fd);
	if (!list.size || list.size > room)
		return list.size ? -ENAMETOOLONG : -ENOENT;
	memcpy(to, list.bytes, list.size);
	free(list.bytes);
	return (int64_t)list.size;
}
