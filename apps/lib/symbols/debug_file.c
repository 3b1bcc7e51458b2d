/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up debug files by build id, where gdb (manual, "Debugging Information in Separate Files")
 * and debuginfod(8) keep them. Nothing is fetched from a network. */
#include "apps/lib/symbols/debug_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/lib/symbols/build_id.h"

#define PATH_SIZE 4096

/* Writes the build id of the notes as hexadecimal digits. False: they have none. */
static bool id_text(const unsigned char *notes, size_t size, char text[2 * BUILD_ID_MAX + 1])
{
	size_t bytes;
	const unsigned char *id = build_id(notes, size, &bytes);

	for (size_t i = 0; id && i < bytes; i++)
		sprintf(text + 2 * i, "%02x", id[i]);
	return id;
}

/* Returns a copy of the path if it can be read. */
static char *readable(const char *path)
{
	return access(path, R_OK) ? NULL : strdup(path);
}

/* Looks below the directory that this variable names. */
static char *cached(const char *variable, const char *below, const char *id)
{
	const char *directory = getenv(variable);
	char path[PATH_SIZE];

	if (!directory || !*directory)
		return NULL;
	snprintf(path, sizeof(path), "%s%s/%s/debuginfo", directory, below, id);
	return readable(path);
}

char *debug_file_find(const unsigned char *notes, size_t size)
{
	/* In the order of debuginfod's client. */
	static const char *const caches[][2] = {{"DEBUGINFOD_CACHE_PATH", ""},
						{"XDG_CACHE_HOME", "/debuginfod_client"},
						{"HOME", "/.cache/debuginfod_client"},
						{"HOME", "/.debuginfod_client_cache"}};
	char id[2 * BUILD_ID_MAX + 1], path[PATH_SIZE], *found;

	if (!id_text(notes, size, id))
		return NULL;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	found = readable(path);
	for (size_t i = 0; !found && i < sizeof(caches) / sizeof(caches[0]); i++)
		found = cached(caches[i][0], caches[i][1], id);
	return found;
}
