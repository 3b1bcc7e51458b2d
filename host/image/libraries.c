/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the files that a dynamically linked program needs: its interpreter (ld.so) and its
 * libraries, by the list that the interpreter makes. */
#include "host/image/libraries.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/image/archive.h"
#include "host/image/confine.h"
#include "host/image/elsewhere.h"
#include "host/image/initrd.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/share.h"

#define HEAD_BYTES 65536 /* of a program: its headers and its interpreter's name */

Elf64_Phdr elf_segment(const struct buffer *file, int index)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
	Elf64_Phdr segment;

	memcpy(&segment, file->bytes + header->e_phoff + (size_t)index * sizeof(segment),
	       sizeof(segment));
	return segment;
}

/* Returns the path in the file's PT_INTERP segment, which the caller frees; NULL: none. */
static char *interpreter_of(const struct buffer *file)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
	Elf64_Phdr segment;

	if (file->size < sizeof(*header) || memcmp(file->bytes, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
	    header->e_phentsize != sizeof(segment) || header->e_phoff > file->size ||
	    header->e_phnum > (file->size - header->e_phoff) / sizeof(segment))
		return NULL;
	for (int i = 0; i < header->e_phnum; i++) {
		segment = elf_segment(file, i);
		if (segment.p_type == PT_INTERP && segment.p_offset < file->size &&
		    segment.p_filesz <= file->size - segment.p_offset)
			return strndup((const char *)file->bytes + segment.p_offset,
				       segment.p_filesz);
	}
	return NULL;
}

/* Returns the path without "x/..", which comes from $ORIGIN/../lib; to be freed. */
static char *without_ups(const char *path)
{
	char *plain = allocate(strlen(path) + 2), *end = plain;

	while (*path) {
		size_t length;

		path += strspn(path, "/");
		length = strcspn(path, "/");
		if (length == 2 && !strncmp(path, "..", 2)) {
			while (end > plain && *--end != '/')
				;
		} else if (length && !(length == 1 && *path == '.')) {
			*end++ = '/';
			memcpy(end, path, length);
			end += length;
		}
		path += length;
	}
	*end = '\0';
	return plain;
}

/* Adds the file once. */
static void add_once(struct buffer *archive, const char *typed)
{
	static struct words added;
	char *path = without_ups(typed);

	for (int i = 0; i < added.nr; i++)
		if (!strcmp(added.word[i], path))
			return;
	add_word(&added, strdup(path));
	archive_add_host(archive, path, path);
}

/* True when the machine sees the host's file without an addition. */
static bool is_seen(const struct options *many, const char *path)
{
	return many && directories_are_shared(many) && share_shows(many, path);
}

/* Reports a missing dependency: an error for the program, a warning for one of many. */
static void report_missing(const char *program, const char *kind, const char *name, const char *why,
			   bool many)
{
	static const char format[] = "'%s' needs %s%s, which %s";

	if (!many)
		die(STATUS_NOT_EXEC, format, program, kind, name, why);
	fputs("barepmu: ", stderr);
	fprintf(stderr, format, program, kind, name, why);
	fputc('\n', stderr);
}

static const char not_here[] = "is not on this machine";

/* Says why a file cannot be an interpreter. */
static const char *not_a_loader(const char *path)
{
	struct stat info;

	if (stat(path, &info))
		return not_here;
	if (S_ISDIR(info.st_mode))
		return "is a directory, not a loader";
	return S_ISREG(info.st_mode) ? "is not executable" : "is no regular file";
}

/* Adds the file of a line "NAME => PATH (ADDRESS)", and reports a missing library. `many`: the
 * options for one of many programs, where files that the machine sees anyway are omitted; else
 * NULL. */
static void add_line(struct buffer *archive, const char *program, char *line,
		     const struct options *many)
{
	char *arrow = strstr(line, " => "), *path = arrow ? arrow + 4 : line;

	path += strspn(path, " \t");
	if (arrow && !strncmp(path, "not found", 9)) {
		*arrow = '\0';
		report_missing(program, "the library ", line + strspn(line, " \t"), not_here, many);
		return;
	}
	path[strcspn(path, " \n")] = '\0';
	if (*path == '/' && !is_seen(many, path))
		add_once(archive, path);
}

/* True for one of the system's loaders. Any other is the program's own code, which must not run on
 * this machine. */
static bool is_system_loader(const char *interpreter)
{
	static const char *const directories[] = {"/lib", "/usr/lib"}, *const names[] = {"ld",
											 "libc."};
	char *path = realpath(interpreter, NULL);
	const char *name = path ? strrchr(path, '/') + 1 : "";
	bool is_there = false, is_named = false;

	for (unsigned i = 0; path && i < 2; i++) {
		is_there |= !strncmp(path, directories[i], strlen(directories[i]));
		is_named |= !strncmp(name, names[i], strlen(names[i]));
	}
	free(path);
	return is_there && is_named;
}

/* Starts `INTERPRETER --list PROGRAM` and returns its output. Code that the program makes it load,
 * such as auditors, runs confined to reading. */
static FILE *list_libraries(char *interpreter, const char *program)
{
	int ends[2];

	if (pipe(ends))
		die(STATUS_OURS, "cannot make a pipe");
	if (!fork()) {
		dup2(ends[1], STDOUT_FILENO);
		syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
		confine_to_reading();
		/* A name without a slash would be that of a library. */
		execl(interpreter, interpreter, "--list", realpath(program, NULL), (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	return fdopen(ends[0], "r");
}

/* Adds the libraries that the program is linked with, listed by its interpreter, which must
 * exist. */
static void add_linked(struct buffer *archive, const char *program, char *interpreter,
		       const struct options *many)
{
	FILE *list = NULL;
	char *line = NULL;
	size_t size = 0;

	if (!is_seen(many, interpreter))
		add_once(archive, interpreter);
	if (is_system_loader(interpreter))
		list = list_libraries(interpreter, program);
	else
		fprintf(stderr,
			"barepmu: '%s' brings its own loader, '%s', which finds in the image what "
			"there is; --share %s shows its files\n",
			program, interpreter, elsewhere_root(interpreter));
	while (list && getline(&line, &size, list) > 0)
		add_line(archive, program, line, many);
	if (list) {
		fclose(list);
		wait(NULL);
	}
	free(line);
}

bool is_program(const char *path)
{
	struct stat info;

	return !stat(path, &info) && S_ISREG(info.st_mode) && !access(path, X_OK);
}

static void add_needed(struct buffer *archive, const char *program, const struct options *many)
{
	struct buffer file = read_start(program, HEAD_BYTES);
	char *interpreter = interpreter_of(&file);

	free(file.bytes);
	if (interpreter && is_program(interpreter))
		add_linked(archive, program, interpreter, many);
	else if (interpreter)
		report_missing(program, "", interpreter, not_a_loader(interpreter), many);
	free(interpreter);
}

void archive_add_libraries(struct buffer *archive, const char *program)
{
	add_needed(archive, program, NULL);
}

/* The programs of a directory, and where their dependencies go. */
static struct {
	struct buffer *archive;
	const struct options *options;
} walk;

static int visit(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)place;
	if (kind == FTW_F && S_ISREG(info->st_mode) && info->st_mode & 0111)
		add_needed(walk.archive, path, walk.options);
	return 0;
}

void archive_add_directory_libraries(struct buffer *archive, const struct options *options,
				     const char *directory)
{
	walk.archive = archive;
	walk.options = options;
	nftw(directory, visit, 32, 0);
}
