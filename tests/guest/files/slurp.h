/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads whole files of /proc and /sys into memory. */
#ifndef TESTS_GUEST_SLURP_H
#define TESTS_GUEST_SLURP_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static char text[1 << 16];

/* A file into `text`, with a NUL after it. Returns its length or a negative errno. */
static inline long slurp(const char *path)
{
	int fd = open(path, O_RDONLY);
	long total = 0, count;

	text[0] = 0;
	if (fd < 0)
		return -errno;
	while (total < (long)sizeof(text) - 1 &&
	       (count = read(fd, text + total, sizeof(text) - 1 - (size_t)total)) > 0)
		total += count;
	text[total] = 0;
	close(fd);
	return total;
}

#endif
