/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts what came out of the machine where it belongs: streams, files, the exit status. */
#include "host/machine/link/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/host_frames.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/bring.h"
#include "host/machine/link/feed.h"
#include "host/machine/link/link.h"
#include "host/machine/link/share.h"
#include "host/machine/output.h"
#include "host/machine/progress.h"

/* True for a relative path without "..": the machine must not write elsewhere. */
static bool harmless(const char *name)
{
	if (!*name || *name == '/')
		return false;
	while (*name) {
		size_t length = strcspn(name, "/");

		if (length == 2 && !strncmp(name, "..", 2))
			return false;
		name += length + (name[length] == '/');
	}
	return true;
}

/* Makes the directories above the relative `path`. False and errno: it cannot, or one of them is a
 * link, which an earlier machine may have left (--share DIR:rw). */
static bool make_parents(char *path)
{
	bool made = true;

	for (char *slash = strchr(path, '/'); slash && made; slash = strchr(slash + 1, '/')) {
		struct stat info;

		*slash = '\0';
		made = (!mkdir(path, 0777) || errno == EEXIST) && !lstat(path, &info);
		if (made && !S_ISDIR(info.st_mode)) {
			errno = S_ISLNK(info.st_mode) ? ELOOP : ENOTDIR;
			made = false;
		}
		*slash = '/';
	}
	return made;
}

/* Returns the host's path for file `name` of /out. */
static char *host_path(const struct results *results, const char *name)
{
	if (results->record_path && !strcmp(name, "perf.data"))
		return format_text("%s", results->record_path);
	/* --switch-output */
	if (results->record_path && !strncmp(name, "perf.data.", 10) && !strchr(name + 10, '/'))
		return format_text("%s.%s", results->record_path, name + 10);
	if (results->stat_path && !strcmp(name, "stat.txt"))
		return format_text("%s", results->stat_path);
	if (results->plot_path && !strcmp(name, "plot.txt"))
		return format_text("%s", results->plot_path);
	return format_text("out/%s", name);
}

/* The last file of results_open(), while it has a temporary name until it is complete. */
static struct {
	char *path, *new; /* NULL: it is written in its place */
} unfinished;

static void forget_unfinished(void)
{
	if (unfinished.new)
		unlink(unfinished.new);
	free(unfinished.new);
	free(unfinished.path);
	unfinished.new = unfinished.path = NULL;
}

/* True when another file may replace this path: nothing exists, or a file of ours that is writable
 * and has no other names. *info identifies it; st_nlink is 0 for nothing. */
static bool replaceable(const char *path, struct stat *info)
{
	memset(info, 0, sizeof(*info));
	if (lstat(path, info))
		return errno == ENOENT;
	return S_ISREG(info->st_mode) && info->st_nlink == 1 && info->st_uid == geteuid() &&
	       !access(path, W_OK);
}

/* Opens a temporary file beside `path`, to replace it later. Returns -1 when it must be written in
 * place. */
static int open_beside(const char *path)
{
	char *new = format_text("%s.new%d", path, (int)getpid());
	struct stat old;
	int fd = -1;

	forget_unfinished();
	if (replaceable(path, &old))
		fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		free(new);
		return -1;
	}
	unfinished.path = format_text("%s", path);
	unfinished.new = new;
	if (old.st_nlink &&
	    (fchown(fd, (uid_t)-1, old.st_gid) || fchmod(fd, old.st_mode & 07777))) {
		close(fd);
		forget_unfinished();
		return -1;
	}
	return fd;
}

static FILE *open_new(const char *path)
{
	static bool registered;
	int fd = open_beside(path);

	if (fd < 0)
		return fopen(path, "wbe");
	registered = registered || !atexit(forget_unfinished);
	return fdopen(fd, "wb");
}

bool results_close(FILE *file)
{
	bool written = !ferror(file), closed = !fclose(file);
	bool whole =
	    written && closed && (!unfinished.new || !rename(unfinished.new, unfinished.path));
	int error = errno;

	forget_unfinished(); /* which has its name by now, if it is whole */
	errno = error;
	return whole;
}

FILE *results_open(const char *path)
{
	char *here = getcwd(NULL, 0);
	char *whole =
	    format_text("%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path);
	size_t length;
	FILE *file;

	if (share_both_of(whole, &length) && whole[length]) {
		file = bring_file(whole);
	} else {
		file = open_new(path);
	}
	free(whole);
	free(here);
	return file;
}

/* As results_open(), for a path that the user did not choose: no link is followed, and a link in
 * the place of the file is replaced. */
static FILE *open_unchosen(char *path)
{
	struct stat info;

	if (!strncmp(path, "out/", 4) && !make_parents(path))
		return NULL;
	if (!lstat(path, &info) && S_ISLNK(info.st_mode) && unlink(path))
		return NULL;
	return results_open(path);
}

static bool is_chosen(const struct results *results, const char *path)
{
	return (results->record_path && !strcmp(path, results->record_path) &&
		strcmp(path, DEFAULT_OUTPUT)) ||
	       (results->stat_path && !strcmp(path, results->stat_path)) ||
	       (results->plot_path && !strcmp(path, results->plot_path));
}

/* The host's file is named: the machine's name says little of where room is wanting, nor does that
 * of a plot's data. */
static _Noreturn void cannot_write(const struct results *results, unsigned flags)
{
	int error = errno;
	char *path = flags & FILE_SHARED ? format_text("%s", results->file_name)
					 : host_path(results, results->file_name);

	if (results->plot_path && !strcmp(path, results->plot_path))
		*strrchr(path, '.') = '\0';
	die(STATUS_OURS, "cannot write '%s': %s", path,
	    error == ELOOP ? "a directory in its path is a symbolic link" : strerror(error));
}

/* Opens the file of a first piece, in a shared writable directory or below out/. */
static FILE *open_file(const struct results *results, unsigned flags)
{
	FILE *file;
	char *path;

	if (flags & FILE_SHARED)
		return bring_file(results->file_name);
	if (!harmless(results->file_name))
		die(STATUS_OURS, "the machine sent a file with a bad name: '%s'",
		    results->file_name);
	path = host_path(results, results->file_name);
	file = is_chosen(results, path) ? results_open(path) : open_unchosen(path);
	if (!file)
		cannot_write(results, flags);
	free(path);
	return file;
}

static void file_piece(struct results *results, unsigned flags, const unsigned char *payload,
		       size_t length)
{
	if (!results->file)
		results->file = open_file(results, flags);
	if (length && fwrite(payload, length, 1, results->file) != 1)
		cannot_write(results, flags);
	if (!(flags & FILE_LAST))
		return;
	if (!results_close(results->file))
		cannot_write(results, flags);
	results->file = NULL;
}

/* Handles a piece of a file, a symbolic link, or names of a directory. */
static void file_frame(struct results *results, unsigned flags, const char *name,
		       size_t name_length, const unsigned char *payload, size_t length)
{
	if (name_length >= sizeof(results->file_name))
		die(STATUS_OURS, "the machine sent a file name of %zu bytes", name_length);
	if (!results->file) {
		memcpy(results->file_name, name, name_length);
		results->file_name[name_length] = '\0';
	}
	if (flags & FILE_SHARED && flags & FILE_DIRECTORY)
		bring_names(results->file_name, payload, length, flags & FILE_LAST);
	else if (flags & FILE_SHARED && flags & FILE_RIGHTS)
		bring_rights(results->file_name, payload, length);
	else if (flags & FILE_SHARED && flags & FILE_SYMLINK)
		bring_symlink(results->file_name, payload, length);
	else
		file_piece(results, flags, payload, length);
}

static void exit_frame(struct results *results, const unsigned char *payload, size_t length)
{
	uint32_t words[2] = {STATUS_OURS, EXIT_PANIC};
	size_t text = length > sizeof(words) ? length - sizeof(words) : 0;

	if (length >= sizeof(words))
		memcpy(words, payload, sizeof(words));
	if (text >= sizeof(results->text))
		text = sizeof(results->text) - 1;
	memcpy(results->text, payload + sizeof(words), text);
	results->text[text] = '\0';
	results->status = (int)(words[0] & 0xff);
	results->reason = words[1];
	results->ended = true;
}

void results_frame(struct results *results, char type, unsigned flags, const char *name,
		   size_t name_length, const unsigned char *payload, size_t length)
{
	switch (type) {
	case 'O':
	case 'E':
		progress_output(payload, length);
		results->output_seen = true;
		output_add(type == 'O' ? STDOUT_FILENO : STDERR_FILENO, payload, length);
		break;
	case 'F':
		file_frame(results, flags, name, name_length, payload, length);
		break;
	case HOST_LINK:
	case HOST_SHARES: {
		uint64_t address = UINT64_MAX;

		if (length == sizeof(address))
			memcpy(&address, payload, sizeof(address));
		link_attach(address, type == HOST_LINK);
		break;
	}
	case HOST_INPUT: {
		uint32_t room = 0;

		if (length == sizeof(room))
			memcpy(&room, payload, sizeof(room));
		feed_requested(room);
		break;
	}
	default:
		exit_frame(results, payload, length);
	}
}
