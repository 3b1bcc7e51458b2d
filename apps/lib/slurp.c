/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a whole file. */
#include "apps/lib/slurp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Gets the size of a regular file; false for a directory, a device or a pipe. */
static bool regular(const char *path, size_t *size)
{
	struct stat info;

	if (stat(path, &info))
		return false;
	if (!S_ISREG(info.st_mode)) {
		errno = EINVAL;
		return false;
	}
	*size = (size_t)info.st_size;
	return true;
}

unsigned char *slurp(const char *path, size_t *size)
{
	unsigned char *bytes;
	FILE *file;

	if (!regular(path, size))
		return NULL;
	file = fopen(path, "rb");
	if (!file)
		return NULL;
	bytes = malloc(*size + 1);
	if (bytes && fread(bytes, 1, *size, file) != *size) {
		free(bytes);
		bytes = NULL;
	}
	fclose(file);
	if (bytes)
		bytes[*size] = '\0';
	return bytes;
}
