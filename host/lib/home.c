/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the kernel, the visor and the applications: in BAREPMU_HOME, beside the command, one
 * directory up, or where `make install` puts them. */
#include "host/lib/home.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "host/lib/report.h"
#include "host/lib/text.h"

/* Returns the directory of this command. */
static const char *own_directory(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		die(STATUS_OURS, "cannot find out where this command lies: is /proc mounted?");
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	return path;
}

static char *resolve(const char *directory, const char *name)
{
	char *path = format_text("%s/%s", directory, name), *real = realpath(path, NULL);

	free(path);
	return real;
}

char *find_home_file(const char *name)
{
	static const char *const places[] = {".", "..", "../lib/barepmu"}; /* the last: installed */
	const char *home = getenv("BAREPMU_HOME");
	char *found = NULL;

	if (home && *home)
		return resolve(home, name);
	for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++) {
		char *place = format_text("%s/%s", own_directory(), places[i]);

		found = resolve(place, name);
		free(place);
	}
	return found;
}

char *home_file(const char *name)
{
	char *path = find_home_file(name);

	if (!path)
		die(STATUS_OURS,
		    "cannot find '%s' beside this command: run `make`, or set BAREPMU_HOME", name);
	return path;
}

char *kernel_file(void)
{
	const char *chosen = getenv("BAREPMU_KERNEL");

	return chosen && *chosen ? format_text("%s", chosen) : home_file("kernel.elf");
}
