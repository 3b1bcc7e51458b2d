/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases of one system call each, as a table: what it returns, or a negative errno. The programs run
 * on both kernels. */
#ifndef TESTS_GUEST_ANSWERS_H
#define TESTS_GUEST_ANSWERS_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CASE(name, run, wanted)         \
	{                               \
		(name), (run), (wanted) \
	}

struct answer {
	const char *name;
	long (*run)(void);
	long wanted;
};

/* A system call's result or negative errno. */
static inline long raw(long result)
{
	return result == -1 ? -errno : result;
}
#define RAW(...) raw(syscall(__VA_ARGS__))

/* The result of a function in a child process. */
static inline long in_child(long (*run)(void))
{
	int ends[2], status;
	long result = -ECHILD;
	pid_t child;

	if (pipe(ends))
		return -errno;
	child = fork();
	if (!child) {
		result = run();
		_exit(write(ends[1], &result, sizeof(result)) != sizeof(result));
	}
	close(ends[1]);
	if (read(ends[0], &result, sizeof(result)) != sizeof(result))
		result = -EPIPE;
	close(ends[0]);
	waitpid(child, &status, 0);
	return result;
}

/* Becomes an ordinary user, without capabilities. */
static inline void become_user(void)
{
	if (setgroups(0, NULL) || setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		_exit(9);
}

/* Runs each case in a process of its own. */
static inline int answers_run(const struct answer *cases, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		is(in_child(cases[i].run), cases[i].wanted, cases[i].name);
	return tap_end();
}

#endif
