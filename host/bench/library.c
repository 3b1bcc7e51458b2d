/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for archives where Debian, other distributions and musl's own build install them. Not
 * glibc's libm: its functions are chosen by glibc's start-up code, which does not run in bench. */
#include "host/bench/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/lib/report.h"
#include "host/lib/text.h"

static const char *const musl_directories[] = {"/usr/lib/x86_64-linux-musl", "/usr/lib/musl/lib",
					       "/usr/local/musl/lib", NULL};
static const char *const directories[] = {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
					  "/usr/lib64", "/usr/lib", NULL};

/* Returns the archive in the first directory that has it, or NULL. */
static char *search(const char *const *in, const char *name)
{
	for (; *in; in++) {
		char *path = format_text("%s/lib%s.a", *in, name);

		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

char *library_find(const char *name)
{
	bool is_musl = !strcmp(name, "m") || !strcmp(name, "c");
	char *found;

	if (strchr(name, '/'))
		return format_text("%s", name);
	/* musl's libm.a is empty: all functions are in its libc.a. */
	found = is_musl ? search(musl_directories, "c") : search(directories, name);
	if (!found && is_musl)
		die(STATUS_OURS, "-l%s needs musl's libc.a: install musl-dev", name);
	if (!found)
		die(STATUS_OURS, "-l%s: there is no lib%s.a; -l PATH takes any archive", name,
		    name);
	return found;
}
