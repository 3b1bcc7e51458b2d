/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's answers about open files and names: O_PATH descriptors, record locks, seals, empty
 * names, exchanged names, exclusive epoll waits. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/xattr.h>
#include "tests/guest/answers/place.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE  2
#endif

/* O_PATH. */

static int path_fd(void)
{
	close(place());
	return open(PLACE "/file", O_PATH);
}

#define ON_PATH(name, call)           \
	static long name(void)        \
	{                             \
		int fd = path_fd();   \
		char buffer[64] = ""; \
                                      \
		(void)buffer;         \
		return raw(call);     \
	}

ON_PATH(path_accept, accept(fd, NULL, NULL))
ON_PATH(path_epoll, epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, fd, &(struct epoll_event){0}))
ON_PATH(path_fgetxattr, fgetxattr(fd, "user.a", buffer, sizeof(buffer)))
ON_PATH(path_fsetxattr, fsetxattr(fd, "user.a", buffer, 1, 0))
ON_PATH(path_flistxattr, flistxattr(fd, buffer, sizeof(buffer)))
ON_PATH(path_read, read(fd, buffer, 1))
ON_PATH(path_write, write(fd, buffer, 1))
ON_PATH(path_fchmod, syscall(SYS_fchmod, fd, 0644))
ON_PATH(path_fchown, syscall(SYS_fchown, fd, 0, 0))
ON_PATH(path_ftruncate, ftruncate(fd, 0))
ON_PATH(path_ioctl, ioctl(fd, FIONREAD, buffer))
ON_PATH(path_fsync, fsync(fd))
ON_PATH(path_lseek, lseek(fd, 0, SEEK_SET))
ON_PATH(path_getdents, syscall(SYS_getdents64, fd, buffer, sizeof(buffer)))
ON_PATH(path_fallocate, fallocate(fd, 0, 0, 1))
ON_PATH(path_lock, fcntl(fd, F_GETLK, buffer))
ON_PATH(path_listen, listen(fd, 1))
ON_PATH(path_sendfile, syscall(SYS_sendfile, 1, fd, NULL, 1))
ON_PATH(path_getfl, (fcntl(fd, F_GETFL) & O_PATH) == O_PATH)
ON_PATH(path_futimes, syscall(SYS_utimensat, fd, NULL, NULL, 0))
ON_PATH(path_poll, poll(&(struct pollfd){fd, POLLIN, 0}, 1, 0))

static long path_fstat(void)
{
	struct stat state;

	return raw(fstat(path_fd(), &state));
}

/* Record locks. */

static long lock(int fd, int command, short type, off_t start, off_t length, struct flock *got)
{
	*got = (struct flock){.l_type = type, .l_start = start, .l_len = length};
	return raw(fcntl(fd, command, got));
}

static int lock_file(void)
{
	close(place());
	return open(PLACE "/file", O_RDWR);
}

/* A child takes two ranges, the later one first. */
static long first_lock(void)
{
	int fd = lock_file(), ends[2];
	struct flock got;
	pid_t child;
	char byte;

	if (pipe(ends) || fd < 0)
		return -errno;
	child = fork();
	if (!child) {
		lock(fd, F_SETLK, F_WRLCK, 30, 10, &got);
		lock(fd, F_SETLK, F_WRLCK, 10, 10, &got);
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	if (read(ends[0], &byte, 1) != 1)
		return -EPIPE;
	lock(fd, F_GETLK, F_WRLCK, 0, 0, &got);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return got.l_type == F_WRLCK && got.l_pid == child ? got.l_start : -1;
}

static long dead_lock(void)
{
	int fd = lock_file(), ends[2];
	struct flock got;
	long result;
	pid_t child;
	char byte;

	if (pipe(ends) || fd < 0)
		return -errno;
	lock(fd, F_SETLK, F_WRLCK, 0, 1, &got);
	child = fork();
	if (!child) {
		lock(fd, F_SETLK, F_WRLCK, 1, 1, &got);
		if (write(ends[1], "", 1) == 1)
			lock(fd, F_SETLKW, F_WRLCK, 0, 1, &got);
		_exit(0);
	}
	if (read(ends[0], &byte, 1) != 1)
		return -EPIPE;
	usleep(50000); /* the child waits */
	result = lock(fd, F_SETLKW, F_WRLCK, 1, 1, &got);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return result;
}

/* Seals, names. */

static long sealed_truncate(void)
{
	int fd = memfd_create("sealed", MFD_ALLOW_SEALING);
	char path[64];

	if (ftruncate(fd, 10) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return raw(open(path, O_RDWR | O_TRUNC));
}

static long empty_readlink(void)
{
	char text[8];

	return raw(readlink("", text, sizeof(text)));
}

static long empty_readlink_fd(void)
{
	char text[8];

	close(place());
	return raw(readlinkat(open(PLACE "/link", O_PATH | O_NOFOLLOW), "", text, sizeof(text)));
}

static long empty_readlink_file(void)
{
	char text[8];

	close(place());
	return raw(readlinkat(open(PLACE "/file", O_PATH), "", text, sizeof(text)));
}

static long empty_fchmodat(void)
{
	return RAW(SYS_fchmodat, AT_FDCWD, "", 0644);
}

static long empty_chmod(void)
{
	return raw(chmod("", 0644));
}

static long empty_open(void)
{
	return raw(open("", O_RDONLY));
}

static long empty_unlink(void)
{
	return raw(unlink(""));
}

static long empty_mkdir(void)
{
	return raw(mkdir("", 0755));
}

static long empty_access(void)
{
	return raw(access("", F_OK));
}

static long exchange_call(const char *from, const char *to, unsigned flags)
{
	int fd = place();

	return RAW(SYS_renameat2, fd, from, fd, to, flags);
}

static long exchange(void)
{
	struct stat first, second;
	long err = exchange_call("file", "sub", RENAME_EXCHANGE);

	stat(PLACE "/file", &first);
	stat(PLACE "/sub", &second);
	if (!err && S_ISDIR(first.st_mode) && S_ISREG(second.st_mode))
		return exchange_call("sub", "file", RENAME_EXCHANGE);
	return err ?: -1;
}

static long exchange_none(void)
{
	return exchange_call("file", "none", RENAME_EXCHANGE);
}

static long exchange_both(void)
{
	return exchange_call("file", "sub", RENAME_EXCHANGE | RENAME_NOREPLACE);
}

static long exchange_self(void)
{
	return exchange_call("file", "file", RENAME_EXCHANGE);
}

static long exchange_loop(void)
{
	int fd = place();

	mkdir(PLACE "/sub/inner", 0755);
	return RAW(SYS_renameat2, fd, "sub", fd, "sub/inner", RENAME_EXCHANGE);
}

static long exchange_flag(void)
{
	return exchange_call("file", "sub", 8);
}

/* Exclusive waits. */

static long wake_of(uint32_t flags)
{
	int event = eventfd(0, EFD_NONBLOCK), ends[2];
	long woken = 0;
	char byte;

	if (pipe(ends))
		return -errno;
	for (unsigned i = 0; i < 3; i++)
		if (!fork()) {
			int set = epoll_create1(0);
			struct epoll_event one = {.events = EPOLLIN | flags};

			epoll_ctl(set, EPOLL_CTL_ADD, event, &one);
			if (epoll_wait(set, &one, 1, 5000) == 1 && write(ends[1], "", 1) == 1)
				pause();
			_exit(0);
		}
	usleep(100000); /* they wait */
	if (eventfd_write(event, 1))
		return -errno;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	usleep(100000);
	while (read(ends[0], &byte, 1) == 1)
		woken++;
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	return woken;
}

static long wake_exclusive(void)
{
	setpgid(0, 0);
	return wake_of(EPOLLEXCLUSIVE);
}

static long wake_all(void)
{
	setpgid(0, 0);
	return wake_of(0);
}

static long exclusive_add(uint32_t events, int fd)
{
	return raw(epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, fd,
			     &(struct epoll_event){.events = events | EPOLLEXCLUSIVE}));
}

static long exclusive_once(void)
{
	return exclusive_add(EPOLLIN | EPOLLONESHOT, eventfd(0, 0));
}

static long exclusive_edge(void)
{
	return exclusive_add(EPOLLIN | EPOLLET, eventfd(0, 0));
}

static long exclusive_set(void)
{
	return exclusive_add(EPOLLIN, epoll_create1(0));
}

static long exclusive_change(void)
{
	int set = epoll_create1(0), fd = eventfd(0, 0);
	struct epoll_event one = {.events = EPOLLIN | EPOLLEXCLUSIVE};

	epoll_ctl(set, EPOLL_CTL_ADD, fd, &one);
	one.events = EPOLLIN;
	return raw(epoll_ctl(set, EPOLL_CTL_MOD, fd, &one));
}

static long exclusive_changed_to(void)
{
	int set = epoll_create1(0), fd = eventfd(0, 0);
	struct epoll_event one = {.events = EPOLLIN};

	epoll_ctl(set, EPOLL_CTL_ADD, fd, &one);
	one.events = EPOLLIN | EPOLLEXCLUSIVE;
	return raw(epoll_ctl(set, EPOLL_CTL_MOD, fd, &one));
}

/* Owners of signals. */

static long owner_of(int type, int pid)
{
	const struct f_owner_ex owner = {.type = type, .pid = pid};
	int ends[2];

	return pipe(ends) ? -errno : raw(fcntl(ends[0], F_SETOWN_EX, &owner));
}

static long owner_absent(void)
{
	return owner_of(F_OWNER_TID, 4000000);
}

static long owner_none(void)
{
	return owner_of(F_OWNER_PID, 0);
}

static long owner_group(void)
{
	return owner_of(F_OWNER_PGRP, getpgrp());
}

static long owner_group_absent(void)
{
	int ends[2];

	return pipe(ends) ? -errno : raw(fcntl(ends[0], F_SETOWN, -4000000));
}

static const struct answer cases[] = {
    CASE("F_SETOWN_EX: a thread that is not there", owner_absent, -ESRCH),
    CASE("F_SETOWN_EX: none", owner_none, 0),
    CASE("F_SETOWN_EX: a group", owner_group, 0),
    CASE("F_SETOWN: a group that is not there", owner_group_absent, -ESRCH),
    CASE("O_PATH: accept", path_accept, -EBADF),
    CASE("O_PATH: epoll_ctl", path_epoll, -EBADF),
    CASE("O_PATH: fgetxattr", path_fgetxattr, -EBADF),
    CASE("O_PATH: fsetxattr", path_fsetxattr, -EBADF),
    CASE("O_PATH: flistxattr", path_flistxattr, -EBADF),
    CASE("O_PATH: read", path_read, -EBADF),
    CASE("O_PATH: write", path_write, -EBADF),
    CASE("O_PATH: fchmod", path_fchmod, -EBADF),
    CASE("O_PATH: fchown", path_fchown, -EBADF),
    CASE("O_PATH: ftruncate", path_ftruncate, -EBADF),
    CASE("O_PATH: ioctl", path_ioctl, -EBADF),
    CASE("O_PATH: fsync", path_fsync, -EBADF),
    CASE("O_PATH: lseek", path_lseek, -EBADF),
    CASE("O_PATH: getdents64", path_getdents, -EBADF),
    CASE("O_PATH: fallocate", path_fallocate, -EBADF),
    CASE("O_PATH: F_GETLK", path_lock, -EBADF),
    CASE("O_PATH: listen", path_listen, -EBADF),
    CASE("O_PATH: sendfile", path_sendfile, -EBADF),
    CASE("O_PATH: F_GETFL has it", path_getfl, 1),
    CASE("O_PATH: utimensat without a name", path_futimes, -EBADF),
    CASE("O_PATH: poll has POLLNVAL", path_poll, 1),
    CASE("O_PATH: fstat", path_fstat, 0),
    CASE("F_GETLK names the first range, not the newest", first_lock, 10),
    CASE("F_SETLKW of two processes that wait for each other", dead_lock, -EDEADLK),
    CASE("F_SEAL_SHRINK: O_TRUNC through /proc/self/fd", sealed_truncate, -EPERM),
    CASE("readlink(\"\")", empty_readlink, -ENOENT),
    CASE("readlinkat(link, \"\")", empty_readlink_fd, 4),
    CASE("readlinkat(file, \"\")", empty_readlink_file, -ENOENT),
    CASE("fchmodat(AT_FDCWD, \"\")", empty_fchmodat, -ENOENT),
    CASE("chmod(\"\")", empty_chmod, -ENOENT),
    CASE("open(\"\")", empty_open, -ENOENT),
    CASE("unlink(\"\")", empty_unlink, -ENOENT),
    CASE("mkdir(\"\")", empty_mkdir, -ENOENT),
    CASE("access(\"\")", empty_access, -ENOENT),
    CASE("RENAME_EXCHANGE of a file and a directory", exchange, 0),
    CASE("RENAME_EXCHANGE: no second name", exchange_none, -ENOENT),
    CASE("RENAME_EXCHANGE | RENAME_NOREPLACE", exchange_both, -EINVAL),
    CASE("RENAME_EXCHANGE of a name with itself", exchange_self, 0),
    CASE("RENAME_EXCHANGE of a directory with one in it", exchange_loop, -EINVAL),
    CASE("renameat2: unknown flag", exchange_flag, -EINVAL),
    CASE("EPOLLEXCLUSIVE: one of three waiters wakes", wake_exclusive, 1),
    CASE("without it all three do", wake_all, 3),
    CASE("EPOLLEXCLUSIVE | EPOLLONESHOT", exclusive_once, -EINVAL),
    CASE("EPOLLEXCLUSIVE | EPOLLET", exclusive_edge, 0),
    CASE("EPOLLEXCLUSIVE of an epoll descriptor", exclusive_set, -EINVAL),
    CASE("EPOLL_CTL_MOD of an exclusive one", exclusive_change, -EINVAL),
    CASE("EPOLL_CTL_MOD to EPOLLEXCLUSIVE", exclusive_changed_to, -EINVAL),
};

int main(void)
{
	return answers_run(cases, COUNT(cases));
}
