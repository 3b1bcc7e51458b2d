/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of the kernel memory that one user can pin: each kind of object has a limit, which is
 * the user's, not the process's. */
#include "tests/guest/border/credentials.h"
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "abi/linux/perf_event.h"

#ifndef F_GETPIPE_SZ
#define F_SETPIPE_SZ 1031
#define F_GETPIPE_SZ 1032
#endif

static void limit(int which, rlim_t value)
{
	const struct rlimit both = {value, value};

	setrlimit(which, &both);
}

/* Sends on a pair's first end until it is full; returns how often. */
static long fill(int type, const struct msghdr *message, int *error)
{
	int ends[2];
	long count = 0;

	socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, ends);
	while (count < 20000 && sendmsg(ends[0], message, 0) >= 0)
		count++;
	*error = errno;
	return count;
}

/* A message costs something even when it is empty. */
static void empty_messages(void)
{
	struct msghdr message = {0};
	int error;

	become(USER);
	for (int type = SOCK_DGRAM; type <= SOCK_SEQPACKET; type += SOCK_SEQPACKET - SOCK_DGRAM) {
		long count = fill(type, &message, &error);

		ok(count > 100 && count < 1000 && error == EAGAIN,
		   "a socket is full of empty messages");
		printf("# %ld messages, %s\n", count, strerror(error));
	}
}

/* Files on their way count as open. */
static void files_under_way(void)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {
	    .header = {CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
	struct iovec byte = {"x", 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int error, fd = open("/dev/null", O_RDWR);
	long count;

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	become(USER);
	limit(RLIMIT_NOFILE, 50);
	count = fill(SOCK_SEQPACKET, &message, &error);
	ok(count >= 50 && count <= 52 && error == ETOOMANYREFS,
	   "a user has as many files in flight as it may open");
	printf("# %ld files, %s\n", count, strerror(error));
	if (!fork()) { /* another process of this user */
		count = fill(SOCK_SEQPACKET, &message, &error);
		_exit(count <= 1 && error == ETOOMANYREFS);
	}
	wait(&error);
	is(WEXITSTATUS(error), 1, "files in flight are counted for all processes of a user");
}

/* A process that connects and leaves is counted until its connection is accepted. */
static long connect_and_leave(void)
{
	const struct sockaddr name = {AF_UNIX, "\0pins"};
	long count = 0;
	int fd;

	for (;; count++) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect(fd, &name, sizeof(name)))
			break;
		close(fd);
	}
	close(fd); /* errno stays */
	return count;
}

static void connections_under_way(void)
{
	const struct sockaddr name = {AF_UNIX, "\0pins"};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	bind(listener, &name, sizeof(name));
	listen(listener, 200);
	become(USER);
	limit(RLIMIT_NOFILE, 50);
	is(connect_and_leave(), 50, "a user has as many waiting connections as files it may open");
	is(errno, ENFILE, "then ENFILE");
	close(accept(listener, NULL, NULL));
	is(connect_and_leave(), 1, "an accepted connection makes room for one");
	close(listener);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(listener, &name, sizeof(name));
	listen(listener, 200);
	is(connect_and_leave(), 50, "a closed listener's connections are gone");
}

static long queue_signals(void)
{
	const union sigval value = {0};
	sigset_t all;
	long count = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (count < 2000 && !sigqueue(getpid(), SIGRTMIN, value))
		count++;
	return count;
}

static long make_timers(void)
{
	timer_t timer;
	long count = 0;

	while (count < 2000 && !timer_create(CLOCK_MONOTONIC, NULL, &timer))
		count++;
	return count;
}

static void signals_and_timers(void)
{
	int status;

	become(USER);
	limit(RLIMIT_SIGPENDING, 100);
	is(make_timers(), 100, "RLIMIT_SIGPENDING limits timers");
	if (!fork())
		_exit(queue_signals() == 0);
	wait(&status);
	is(WEXITSTATUS(status), 1, "queued signals are counted for all processes of a user");
}

static void queued_signals(void)
{
	int status;

	become(USER);
	limit(RLIMIT_SIGPENDING, 100);
	is(queue_signals(), 100, "an ended process's signals are gone");
	if (!fork())
		_exit(queue_signals() == 0);
	wait(&status);
	is(WEXITSTATUS(status), 1, "signals that wait count for all processes of the user");
}

static void pipes(void)
{
	int ends[2], large = 0, status;

	become(USER);
	for (unsigned i = 0; i < 64; i++) {
		pipe(ends);
		large += fcntl(ends[0], F_SETPIPE_SZ, 1 << 20) == 1 << 20;
	}
	is(large, 64, "64 pipes of 1 MiB");
	pipe(ends);
	is(fcntl(ends[0], F_GETPIPE_SZ), 8192, "the next is small");
	is(result(fcntl(ends[0], F_SETPIPE_SZ, 65536)), -EPERM,
	   "a pipe beyond the limit stays small");
	if (!fork()) {
		pipe(ends);
		_exit(fcntl(ends[0], F_GETPIPE_SZ) == 8192);
	}
	wait(&status);
	is(WEXITSTATUS(status), 1, "pipes are counted for all processes of a user");
}

static long map_rings(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1};
	long count = 0;

	limit(RLIMIT_MEMLOCK, 0);
	for (; count < 200; count++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

		if (mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
			break;
	}
	return count;
}

/* perf_event_mlock_kb is each user's own. */
static void rings(void)
{
	int told[2], status;
	long count = 0;
	pid_t pid;

	allow_events();
	pipe(told);
	pid = fork();
	if (!pid) {
		become(USER);
		count = map_rings();
		write(told[1], &count, sizeof(count));
		pause();
	}
	read(told[0], &count, sizeof(count));
	ok(count > 20 && count < 200, "a user's rings are limited");
	printf("# %ld rings\n", count);
	if (!fork()) {
		become(USER);
		_exit(map_rings() == 0);
	}
	wait(&status);
	is(WEXITSTATUS(status), 1, "rings are counted for all processes of a user");
	if (!fork()) {
		become(OTHER);
		_exit(map_rings() == count);
	}
	wait(&status);
	is(WEXITSTATUS(status), 1, "one user's rings leave another user as many");
	kill(pid, SIGKILL);
}

static void (*const parts[])(void) = {
    empty_messages, files_under_way, connections_under_way, signals_and_timers, queued_signals,
    pipes,          rings,
};

int main(void)
{
	return run_parts(parts, sizeof(parts) / sizeof(parts[0]));
}
