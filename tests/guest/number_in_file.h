/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in files of sysfs, procfs and tracefs. */
#ifndef TESTS_GUEST_NUMBER_IN_FILE_H
#define TESTS_GUEST_NUMBER_IN_FILE_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the number in the file; 0: there is none. */
static inline unsigned long number_in_file(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);
	ssize_t bytes = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return bytes < 0 ? 0 : strtoul(text, NULL, 10);
}

#endif
