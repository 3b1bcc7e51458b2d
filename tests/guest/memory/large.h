/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the programs about large pages: a write that may fail, a child that works on a page
 * of its parent's, and numbers of a file of /proc. */
#ifndef TESTS_GUEST_LARGE_H
#define TESTS_GUEST_LARGE_H

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int seen;

/* The handler of SIGSEGV and SIGBUS, for poke(). */
static inline void on_signal(int signal)
{
	seen = signal;
	siglongjmp(back, 1);
}

/* The signal that a write of 7 to the address leads to, or 0. */
static inline int poke(volatile char *at)
{
	seen = 0;
	if (!sigsetjmp(back, 1))
		*at = 7;
	return seen;
}

/* The status of a child that does this and ends with 0. */
static inline int child_of(void (*work)(char *), char *at)
{
	int status = -1;

	fflush(stdout);
	if (!fork()) {
		work(at);
		_exit(0);
	}
	wait(&status);
	return status;
}

/* The whole file, until the next call. */
static inline const char *contents(const char *file)
{
	static char text[1 << 17];
	int fd = open(file, O_RDONLY);
	ssize_t length, have = 0;

	while ((length = read(fd, text + have, sizeof(text) - 1 - have)) > 0)
		have += length;
	close(fd);
	text[have] = 0;
	return text;
}

#endif
