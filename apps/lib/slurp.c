/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a whole file. */
#include "apps/lib/slurp.h"

#include <stdio.h>
#include <stdlib.h>

unsigned char *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = NULL;
	long length;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (length = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET)) {
		*size = (size_t)length;
		bytes = malloc(*size + 1);
		if (bytes && fread(bytes, 1, *size, file) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	fclose(file);
	return bytes;
}
