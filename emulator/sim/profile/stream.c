/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the records of abi/boot_profile.h: whole ones, so that a full disk ends the stream but
 * keeps what is there readable. */
#include "emulator/sim/profile/stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BUFFER_BYTES (1u << 20)
#define ALIGN        8

static FILE *file;

bool stream_open(const char *path)
{
	file = fopen(path, "we");
	if (file)
		setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
	return file;
}

static void check(bool good)
{
	if (good)
		return;
	fprintf(stderr, "profile: recording ends here: %s\n", strerror(errno));
	fclose(file);
	file = NULL;
}

void stream_put(enum profile_type type, const void *head, size_t head_bytes, const void *rest,
		size_t rest_bytes)
{
	static const char zeros[ALIGN];
	size_t bytes = head_bytes + rest_bytes, padding = -bytes % ALIGN;
	struct profile_record record = {type, (uint32_t)(bytes + padding)};

	if (!file)
		return;
	check(fwrite(&record, sizeof(record), 1, file) == 1 &&
	      fwrite(head, head_bytes, 1, file) == 1 &&
	      (!rest_bytes || fwrite(rest, rest_bytes, 1, file) == 1) &&
	      (!padding || fwrite(zeros, padding, 1, file) == 1));
}

void stream_flush(void)
{
	if (file)
		check(!fflush(file));
}
