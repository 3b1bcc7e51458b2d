/* SPDX-License-Identifier: BSD-2-Clause */
/* Complains of a file that is not there, and names the one that was probably meant. */
#include "host/lib/missing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lib/closest.h"
#include "host/lib/home.h"
#include "host/lib/report.h"
#include "host/lib/text.h"

/* Offers every name in `directory`; kept names stay allocated. */
static void offer_directory(struct closest *search, const char *directory)
{
	DIR *open = opendir(directory);
	struct dirent *entry;

	while (open && (entry = readdir(open))) {
		const char *before = search->best;

		if (*entry->d_name == '.')
			continue;
		closest_offer(search, entry->d_name);
		if (search->best != before)
			search->best = format_text("%s", entry->d_name);
	}
	if (open)
		closedir(open);
}

/* Returns the package of a program that commands and documents name, or NULL. */
static const char *package_of(const char *program)
{
	static const char *const packages[][2] = {
	    {"perf", "linux-perf"}, {"python3", "python3"}, {"gdb", "gdb"}, {"nasm", "nasm"}};

	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (!strcmp(packages[i][0], program))
			return packages[i][1];
	return NULL;
}

void missing_file(int status, const char *what, const char *path, bool program)
{
	const char *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) + 1 : 0, error = errno;
	struct closest search = {.word = path + length};
	char *apps = program && !slash ? find_home_file("apps") : NULL;

	if (program && error == ENOENT && package_of(path))
		die(status, "cannot %s '%s': install it (Debian: apt-get install %s)", what, path,
		    package_of(path));
	if (error == ENOENT && apps)
		offer_directory(&search, apps);
	if (error == ENOENT)
		offer_directory(&search, slash ? format_text("%.*s", length, path) : ".");
	if (search.best)
		die(status, "cannot %s '%s': %s: did you mean '%.*s%s'?", what, path,
		    strerror(error), length, path, search.best);
	die(status, "cannot %s '%s': %s", what, path, strerror(error));
}
