/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds PROGRAM on the host and checks that the image can run it: an x86-64 Linux ELF file.
 */
#include "tools/barepmu/barepmu.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first file called `name` in PATH, or NULL. */
static char *search_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		int length = (int)strcspn(path, ":");
		char *candidate = format_text("%.*s/%s", length, path, name);

		if (!access(candidate, X_OK))
			return candidate;
		free(candidate);
		path += length + (path[length] == ':');
	}
	return NULL;
}

static char *locate(const char *name)
{
	char *found = NULL;

	if (!strchr(name, '/')) {
		char *app = format_text("apps/%s", name);

		found = find_home_file(app);
		free(app);
		if (!found && access(name, F_OK))
			found = search_path(name);
	}
	return realpath(found ? found : name, NULL);
}

/* Dies unless all segments lie inside the file. */
static void check_segments(const char *name, const struct buffer *file)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
	const Elf64_Phdr *segment;

	if (header->e_phentsize != sizeof(*segment) || header->e_phoff > file->size ||
	    header->e_phnum > (file->size - header->e_phoff) / sizeof(*segment))
		die(STATUS_NOT_EXEC, "'%s' is truncated: its program headers lie beyond its end",
		    name);
	segment = (const Elf64_Phdr *)(file->bytes + header->e_phoff);
	for (int i = 0; i < header->e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD &&
		    (segment[i].p_offset > file->size ||
		     segment[i].p_filesz > file->size - segment[i].p_offset))
			die(STATUS_NOT_EXEC, "'%s' is truncated: a segment lies beyond its end",
			    name);
	}
}

static void check_elf(const char *name, const struct buffer *file)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;

	if (file->size < SELFMAG || memcmp(file->bytes, ELFMAG, SELFMAG))
		die(STATUS_NOT_EXEC,
		    "'%s' is not an ELF file: the image runs x86-64 Linux programs", name);
	if (file->size < sizeof(*header))
		die(STATUS_NOT_EXEC, "'%s' is truncated: its ELF header is incomplete", name);
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
		die(STATUS_NOT_EXEC,
		    "'%s' is for another machine (ELF machine %u, class %u): x86-64 is needed",
		    name, header->e_machine, header->e_ident[EI_CLASS]);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		die(STATUS_NOT_EXEC, "'%s' is an ELF file but no program (type %u)", name,
		    header->e_type);
	check_segments(name, file);
}

char *script_interpreter(const struct buffer *file)
{
	const char *text = (const char *)file->bytes + 2;
	size_t left = file->size - 2, skip = 0, length = 0;

	if (file->size < 3 || memcmp(file->bytes, "#!", 2))
		return NULL;
	while (skip < left && (text[skip] == ' ' || text[skip] == '\t'))
		skip++;
	while (skip + length < left && !strchr(" \t\n", text[skip + length]))
		length++;
	return length ? strndup(text + skip, length) : NULL;
}

/* An ELF file, or a script whose interpreter is there. */
static void check_program(const char *name, const struct buffer *file)
{
	char *interpreter = script_interpreter(file);

	if (!interpreter)
		check_elf(name, file);
	else if (access(interpreter, X_OK))
		die(STATUS_NOT_EXEC, "'%s' wants the interpreter '%s': %s", name, interpreter,
		    strerror(errno));
	free(interpreter);
}

char *find_program(const char *name)
{
	char *path = locate(name);
	struct buffer file;
	struct stat info;

	if (!path)
		missing_file(errno == ENOENT || errno == ENOTDIR ? STATUS_NOT_FOUND
								 : STATUS_NOT_EXEC,
			     "find", name, true);
	if (stat(path, &info) || !S_ISREG(info.st_mode))
		die(STATUS_NOT_EXEC, "'%s' is not a file", name);
	if (access(path, X_OK))
		die(STATUS_NOT_EXEC, "'%s' is not executable: %s", name, strerror(errno));
	file = read_file(path);
	check_program(name, &file);
	free(file.bytes);
	return path;
}
