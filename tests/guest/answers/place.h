/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory with one entry of each kind. */
#ifndef TESTS_GUEST_PLACE_H
#define TESTS_GUEST_PLACE_H

#include <sys/stat.h>
#include "tests/guest/answers/answers.h"

#define PLACE "/tmp/answers.d"

/* Makes a directory with a file, a link to it, a link out, and a directory. */
static inline int place(void)
{
	mkdir(PLACE, 0755);
	mkdir(PLACE "/sub", 0755);
	close(open(PLACE "/file", O_CREAT | O_RDWR, 0644));
	unlink(PLACE "/link");
	unlink(PLACE "/out");
	if (symlink("file", PLACE "/link") || symlink("/etc", PLACE "/out"))
		_exit(8);
	return open(PLACE, O_PATH | O_DIRECTORY);
}

#endif
