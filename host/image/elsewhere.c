/* SPDX-License-Identifier: BSD-2-Clause */
/* Interpreters of pyenv, conda, venv and nix. The machine sees none of their files: there they
 * would fail, or be another version of themselves. */
#include "host/image/elsewhere.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/image/initrd.h"
#include "host/lib/text.h"
#include "host/machine/link/share.h"

/* Returns the path without its last `levels` names, or "/". */
static char *above(const char *path, int levels)
{
	char *copy = format_text("%s", path), *slash;

	while (levels-- && (slash = strrchr(copy, '/')))
		*slash = '\0';
	if (*copy)
		return copy;
	free(copy);
	return format_text("/");
}

char *elsewhere_root(const char *path)
{
	return strncmp(path, "/nix/", 5) ? above(path, 2) : format_text("/nix");
}

/* True when it was not reported yet. */
static bool is_news(const char *directory)
{
	static struct words named;

	for (int i = 0; i < named.nr; i++)
		if (!strcmp(named.word[i], directory))
			return false;
	add_word(&named, format_text("%s", directory));
	return true;
}

static void report_directory(const char *path, const char *directory)
{
	if (is_news(directory))
		fprintf(stderr,
			"barepmu: '%s' belongs to %s, which the machine does not see: --share %s "
			"shows it\n",
			path, directory, directory);
}

/* True if the directory has an entry that begins with the program's name without its version:
 * python3.11 for python3, perl5 for perl. */
static bool has_library(const char *directory, const char *name)
{
	size_t length = strcspn(name, "-.0123456789");
	DIR *entries = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (entries && length && !found && (entry = readdir(entries)))
		found = !strncmp(entry->d_name, name, length) &&
			!isalpha((unsigned char)entry->d_name[length]);
	if (entries)
		closedir(entries);
	return found;
}

/* True for ROOT/bin/NAME of an interpreter with ROOT/lib/NAME3. */
static bool is_interpreter(const char *path, const char *root)
{
	char *library = format_text("%s/lib", root);
	bool found = has_library(library, strrchr(path, '/') + 1);

	free(library);
	return found;
}

static bool is_environment(const char *root)
{
	char *mark = format_text("%s/pyvenv.cfg", root);
	bool found = !access(mark, F_OK);

	free(mark);
	return found;
}

void elsewhere_check(const struct options *options, const char *path)
{
	char *directory = above(path, 1), *seen = realpath(directory, NULL),
	     *real = realpath(path, NULL), *root = seen ? above(seen, 1) : NULL,
	     *real_root = real ? elsewhere_root(real) : NULL;

	if (directories_are_shared(options) && root && is_environment(root) &&
	    !share_shows(options, root))
		report_directory(path, root);
	if (directories_are_shared(options) && real && !share_shows(options, real) &&
	    (!strcmp(real_root, "/nix") || is_interpreter(real, real_root)))
		report_directory(real, real_root);
	free(directory);
	free(seen);
	free(real);
	free(root);
	free(real_root);
}

/* Returns the first executable file called `name` in PATH, or NULL. */
static char *first_in_path(const char *name)
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

/* Reports a program that env(1) does not find in the machine: its directory is not seen there. */
static void check_env(const struct options *options, const char *name)
{
	char *first = first_in_path(name), *directory, *seen, *root;

	if (!first)
		return;
	directory = above(first, 1);
	seen = realpath(directory, NULL);
	root = elsewhere_root(first);
	if (seen && !share_shows(options, seen))
		report_directory(first, root);
	else
		elsewhere_check(options, first);
	free(first);
	free(directory);
	free(seen);
	free(root);
}

void elsewhere_check_script(const struct options *options, const char *line)
{
	int length = (int)strcspn(line, " \t\n");
	char *interpreter = format_text("%.*s", length, line);
	const char *slash = strrchr(interpreter, '/'), *argument = line + length;

	argument += strspn(argument, " \t");
	if (!strncmp(argument, "-S", 2))
		argument += 2 + strspn(argument + 2, " \t");
	if (directories_are_shared(options) && slash && !strcmp(slash, "/env") &&
	    strcspn(argument, " \t\n=/-") == strcspn(argument, " \t\n")) {
		char *name = format_text("%.*s", (int)strcspn(argument, " \t\n"), argument);

		check_env(options, name);
		free(name);
	} else if (slash) {
		elsewhere_check(options, interpreter);
	}
	free(interpreter);
}

void elsewhere_passed_over(const char *passed, const char *taken)
{
	char *root = elsewhere_root(passed);

	if (is_news(root))
		fprintf(stderr,
			"barepmu: '%s' runs in place of '%s', which starts files that the machine "
			"does not see: --share %s shows them\n",
			taken, passed, root);
	free(root);
}
