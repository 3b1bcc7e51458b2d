/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds PROGRAM on the host and checks that the image can run it: an x86-64 Linux ELF
 * file. */
#include "host/image/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/image/elsewhere.h"
#include "host/image/libraries.h"
#include "host/lib/home.h"
#include "host/lib/missing.h"
#include "host/lib/report.h"
#include "host/lib/text.h"
#include "host/machine/link/share.h"

#define SCRIPT_LINE 256 /* bytes of a script's first line, as execve(2) */

/* A script whose directory the machine does not see, and so what it starts from there neither: as
 * version managers put before the programs themselves. */
static bool is_stranded(const struct options *options, const char *path)
{
	char start[2] = "", *whole = realpath(path, NULL);
	FILE *file = whole && !share_shows(options, whole) ? fopen(whole, "r") : NULL;
	bool stranded = file && fread(start, 1, 2, file) == 2 && !memcmp(start, "#!", 2);

	if (file)
		fclose(file);
	free(whole);
	return stranded;
}

/* Returns the first file called `name` in PATH, with preference for ones that can start; or
 * NULL. */
static char *search_path(const struct options *options, const char *name)
{
	const char *path = getenv("PATH");
	char *first = NULL;

	while (path && *path) {
		int length = (int)strcspn(path, ":");
		char *candidate = format_text("%.*s/%s", length, path, name);
		bool there = !access(candidate, X_OK),
		     stranded = there && is_stranded(options, candidate);

		path += length + (path[length] == ':');
		if (there && !stranded) {
			if (first)
				elsewhere_passed_over(first, candidate);
			free(first);
			return candidate;
		}
		if (there && !first)
			first = candidate;
		else
			free(candidate);
	}
	return first;
}

/* Returns the host's file, which may be a link, or may not exist. The caller frees it. */
static char *locate(const struct options *options, const char *name)
{
	char *found = NULL;

	if (!strchr(name, '/')) {
		char *app = format_text("apps/%s", name);

		found = find_home_file(app);
		free(app);
		if (!found && access(name, F_OK))
			found = search_path(options, name);
	}
	return found ? found : format_text("%s", name);
}

/* Returns the file's path with links resolved except its last name, because a program may behave by
 * its name (xzcat) or location (a virtual environment's python). NULL: errno. */
static char *called(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? format_text("%.*s", (int)(slash - path + 1), path) : NULL;
	char *real = realpath(slash ? directory : ".", NULL), *name = NULL;

	if (real)
		name =
		    format_text("%s/%s", strcmp(real, "/") ? real : "", slash ? slash + 1 : path);
	free(directory);
	free(real);
	return name;
}

/* Dies unless all segments are inside the file. */
static void check_segments(const char *name, const struct buffer *file)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
	Elf64_Phdr segment;

	if (header->e_phentsize != sizeof(segment) || header->e_phoff > file->size ||
	    header->e_phnum > (file->size - header->e_phoff) / sizeof(segment))
		die(STATUS_NOT_EXEC, "'%s' is truncated: its program headers lie beyond its end",
		    name);
	for (int i = 0; i < header->e_phnum; i++) {
		segment = elf_segment(file, i);
		if (segment.p_type == PT_LOAD && (segment.p_offset > file->size ||
						  segment.p_filesz > file->size - segment.p_offset))
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

/* Exits unless a script's interpreter is an executable file. */
static void check_interpreter(const char *name, const char *interpreter)
{
	struct stat info;
	int err = access(interpreter, X_OK) || stat(interpreter, &info) ? errno : 0;

	if (!err && !S_ISREG(info.st_mode))
		err = EACCES; /* as execve(2) */
	if (err)
		die(STATUS_NOT_EXEC, "'%s' wants the interpreter '%s': %s", name, interpreter,
		    strerror(err));
}

/* Checks for an ELF file, or a script whose interpreter exists. */
static void check_program(const char *name, const struct buffer *file)
{
	char *interpreter = script_interpreter(file);

	if (interpreter)
		check_interpreter(name, interpreter);
	else
		check_elf(name, file);
	free(interpreter);
}

/* Reports what the program, or a script's interpreter, needs and the machine does not see. */
static void check_installation(const struct options *options, const struct program *program,
			       const struct buffer *file)
{
	char line[SCRIPT_LINE] = "";

	if (file->size < 3 || memcmp(file->bytes, "#!", 2)) {
		elsewhere_check(options, program->name);
		return;
	}
	for (size_t i = 0; i + 2 < file->size && i + 1 < sizeof(line) && file->bytes[i + 2] != '\n';
	     i++)
		line[i] = (char)file->bytes[i + 2];
	elsewhere_check_script(options, line + strspn(line, " \t"));
}

/* Checks that the image can run the file. Returns it, at its own path. */
static struct program check_host(const struct options *options, const char *name)
{
	char *found = locate(options, name), *path = realpath(found, NULL);
	struct program program;
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
	program =
	    (struct program){.host = path, .place = format_text("%s", path), .name = called(found)};
	check_installation(options, &program, &file);
	free(file.bytes);
	return program;
}

char *added_place(const struct options *options, const char *name)
{
	while (!strncmp(name, "./", 2))
		name += 2;
	if (*name == '/')
		return format_text("%s", name);
	if (strstr(name, "..") || !*name || !strcmp(name, "."))
		return NULL;
	return format_text("%s/%s", strcmp(options->cwd, "/") ? options->cwd : "", name);
}

/* Returns the host's file that HOSTFILE:PATH puts at `path`, or NULL. The caller frees it. */
static char *added_by(const struct options *options, const char *text, const char *path)
{
	const char *colon = strrchr(text, ':');
	char *place = colon && access(text, F_OK) ? added_place(options, colon + 1) : NULL;
	size_t length = place ? strlen(place) : 0;
	char *host = NULL;

	if (length && !strncmp(path, place, length) && (path[length] == '/' || !path[length]))
		host = format_text("%.*s%s", (int)(colon - text), text, path + length);
	free(place);
	if (!host || !access(host, F_OK))
		return host;
	free(host);
	return NULL;
}

struct program find_program(const struct options *options)
{
	const char *name = *options->program;
	struct program program = {0};
	char *host = NULL;

	for (int i = 0; name && *name == '/' && !host && i < options->add.nr; i++)
		host = added_by(options, options->add.word[i], name);
	if (name)
		program = check_host(options, host ? host : name);
	if (host) {
		program.place = format_text("%s", name);
		program.name = format_text("%s", name);
		program.added = true;
	}
	free(host);
	return program;
}

const char *program_job_name(const struct program *program)
{
	const char *name = strrchr(program->name, '/') + 1, *apps = home_file("apps");
	char *application = format_text("%s/%s", apps, name);
	bool taken = strcmp(program->host, application) && !access(application, F_OK),
	     linked = strcmp(program->name, program->place);

	free(application);
	return taken || linked ? NULL : name;
}
