/* SPDX-License-Identifier: BSD-2-Clause */
/* A copy of the test's own program, for tests that execute it with other permissions. */
#ifndef TESTS_GUEST_COPY_SELF_H
#define TESTS_GUEST_COPY_SELF_H

#include <fcntl.h>
#include <unistd.h>

/* Copies this program to the path, with mode 0755 less the umask. */
static inline void copy_self(const char *path)
{
	static char bytes[65536];
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_CREAT | O_WRONLY, 0755);
	ssize_t length;

	while ((length = read(from, bytes, sizeof(bytes))) > 0)
		write(to, bytes, (size_t)length);
	close(from);
	close(to);
}

#endif
