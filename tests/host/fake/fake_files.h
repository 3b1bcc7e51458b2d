/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of host tests: one that programs map, and the files of /sys. */
#ifndef TESTS_HOST_FAKE_FILES_H
#define TESTS_HOST_FAKE_FILES_H

#include <stddef.h>

/* The fields that every inode has. */
struct fake_file {
	const void *data;
	size_t bytes;
};
extern struct fake_file fake_file;

/* Forgets what was in /sys. */
void fake_files_start(void);

/* Returns the contents of a file of /sys, valid until the next call; NULL: there is none. */
const char *fake_sys_read(const char *path);
/* Writes a string to a file of /sys that is there: 0 or a negative errno. */
int fake_sys_write(const char *path, const char *text);

#endif
