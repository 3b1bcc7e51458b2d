/* SPDX-License-Identifier: BSD-2-Clause */
/* Helpers of the tests of users and capabilities: the calls for one task, and parts that run in
 * children, which give their rights away. */
#ifndef TESTS_GUEST_CREDENTIALS_H
#define TESTS_GUEST_CREDENTIALS_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#define USER   1000
#define OTHER  2000
#define ALL    ((2ul << CAP_LAST_CAP) - 1)
#define BIT(c) (1ul << (c))

enum set { EFFECTIVE, PERMITTED, INHERITABLE };

/* The calls of this task alone: a C library's change every thread, and musl's has no cap calls. */
static inline long set_uids(uid_t real, uid_t effective, uid_t saved)
{
	return syscall(SYS_setresuid, real, effective, saved);
}

static inline long set_gids(gid_t real, gid_t effective, gid_t saved)
{
	return syscall(SYS_setresgid, real, effective, saved);
}

static inline uint64_t capabilities(enum set set)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	uint32_t words[2][3] = {{0}};

	return syscall(SYS_capget, &header, words) ? 0
						   : words[0][set] | (uint64_t)words[1][set] << 32;
}

static inline long set_capabilities(uint64_t effective, uint64_t permitted, uint64_t inheritable)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	const uint32_t words[2][3] = {
	    {(uint32_t)effective, (uint32_t)permitted, (uint32_t)inheritable},
	    {(uint32_t)(effective >> 32), (uint32_t)(permitted >> 32),
	     (uint32_t)(inheritable >> 32)},
	};

	return syscall(SYS_capset, &header, words) ? -errno : 0;
}

/* The result, or the errno as a negative number. */
static inline long result(long value)
{
	return value < 0 ? -errno : value;
}

/* An ordinary user, without groups. */
static inline void become(uid_t uid)
{
	syscall(SYS_setgroups, 0, NULL);
	set_gids(uid, uid, uid);
	set_uids(uid, uid, uid);
}

/* Users may open events, whatever the system came with. */
static inline void allow_events(void)
{
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY);

	write(fd, "2", 1);
	close(fd);
}

/* Runs each part in a process of its own; returns main's status. */
static inline int run_parts(void (*const parts[])(void), unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		int status, ends[2], counts[2] = {tap_count, tap_failed + 1};
		pid_t pid;

		pipe(ends);
		pid = fork();
		if (!pid) {
			setpgid(0, 0);
			parts[i]();
			counts[0] = tap_count;
			counts[1] = tap_failed;
			write(ends[1], counts, sizeof(counts));
			kill(0, SIGKILL);
		}
		close(ends[1]);
		waitpid(pid, &status, 0);
		read(ends[0], counts, sizeof(counts));
		close(ends[0]);
		tap_count = counts[0];
		tap_failed = counts[1];
		kill(-pid, SIGKILL);
		while (waitpid(-pid, NULL, 0) > 0)
			;
	}
	return tap_end();
}

#endif
