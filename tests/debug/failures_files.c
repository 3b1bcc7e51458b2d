/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls about files, reading and writing, to let fail. */
#include "tests/debug/failures.h"
#include "tests/fuzz/fuzz.h"
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>

static int fd, fd2, ends[2], others[2];
static char buffer[3 * PAGE];

static void with_directory(void)
{
	mkdir("/tmp", 0777);
	mkdir(FAILURES_DIRECTORY, 0777);
}

static void with_file(void)
{
	with_directory();
	fd = open(FAILURES_DIRECTORY "/file", O_RDWR | O_CREAT, 0600);
	write(fd, buffer, sizeof(buffer));
	lseek(fd, 0, SEEK_SET);
}

static void with_two_files(void)
{
	with_file();
	fd2 = open(FAILURES_DIRECTORY "/other", O_RDWR | O_CREAT, 0600);
}

static void with_pipe(void)
{
	pipe(ends);
}

static void with_full_pipe(void)
{
	pipe(ends);
	write(ends[1], buffer, 100);
}

static void with_pair(void)
{
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	pipe(others);
}

static void with_epoll(void)
{
	pipe(ends);
	fd = epoll_create1(0);
}

static long do_open(void)
{
	return open(FAILURES_DIRECTORY "/file", O_RDWR | O_CREAT, 0600);
}

static long do_open_directory(void)
{
	return open("/proc/self", O_RDONLY);
}

static long do_open_proc(void)
{
	return open("/proc/self/maps", O_RDONLY);
}

static long do_pipe(void)
{
	return pipe(ends);
}

static long do_socketpair(void)
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static long do_eventfd(void)
{
	return eventfd(0, 0);
}

static long do_epoll_create(void)
{
	return epoll_create1(0);
}

static long do_timerfd(void)
{
	return timerfd_create(CLOCK_MONOTONIC, 0);
}

static long do_memfd(void)
{
	return (long)syscall(SYS_memfd_create, "m", 0);
}

static long do_dup(void)
{
	return dup(1);
}

static long do_dup_far(void)
{
	return fcntl(1, F_DUPFD, 200);
}

static long do_dup2_far(void)
{
	return dup2(1, 250);
}

static long do_pidfd(void)
{
	return syscall(434, getpid(), 0);
}

static long do_mkdir(void)
{
	return mkdir(FAILURES_DIRECTORY "/directory", 0700);
}

static long do_mknod(void)
{
	return mknod(FAILURES_DIRECTORY "/other", S_IFIFO | 0600, 0);
}

static long do_symlink(void)
{
	return symlink("/proc/self/exe", FAILURES_DIRECTORY "/other");
}

static long do_link(void)
{
	return link(FAILURES_DIRECTORY "/file", FAILURES_DIRECTORY "/other");
}

static long do_rename(void)
{
	return rename(FAILURES_DIRECTORY "/file", FAILURES_DIRECTORY "/other");
}

static long do_unlink(void)
{
	return unlink(FAILURES_DIRECTORY "/file");
}

static long do_truncate(void)
{
	return truncate(FAILURES_DIRECTORY "/file", 5000);
}

static long do_fallocate(void)
{
	return fallocate(fd, 0, 0, 64 * 1024);
}

static long do_write(void)
{
	return pwrite(fd, buffer, sizeof(buffer), 1 << 20);
}

static long do_read(void)
{
	return read(fd, buffer, sizeof(buffer));
}

static long do_writev(void)
{
	struct iovec vectors[3] = {{buffer, 5000}, {buffer + 100, 50}, {buffer, 1}};

	return writev(fd, vectors, 3);
}

static long do_pipe_write(void)
{
	return write(ends[1], buffer, 9000);
}

static long do_pipe_read(void)
{
	return read(ends[0], buffer, 100);
}

static long do_getdents(void)
{
	int directory = open("/proc", O_RDONLY);
	long got = syscall(SYS_getdents64, directory, buffer, sizeof(buffer));

	close(directory);
	return got;
}

static long do_stat(void)
{
	struct stat stat_buffer;

	return stat(FAILURES_DIRECTORY "/file", &stat_buffer);
}

static long do_readlink(void)
{
	return readlink("/proc/self/exe", buffer, sizeof(buffer));
}

static long do_sendmsg(void)
{
	struct iovec vector = {buffer, 300};
	char control[CMSG_SPACE(2 * sizeof(int))] = {0};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(header), others, 2 * sizeof(int));
	return sendmsg(ends[0], &message, 0);
}

static void with_message(void)
{
	with_pair();
	do_sendmsg();
}

static long do_recvmsg(void)
{
	struct iovec vector = {buffer, 300};
	char control[CMSG_SPACE(2 * sizeof(int))];
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};

	if (recvmsg(ends[1], &message, 0) >= 0)
		return 0;
	/* As on Linux: descriptors that came before the fault stay. */
	for (int came = others[1] + 1; came < others[1] + 3; came++)
		close(came);
	return -1;
}

static long do_mmap_file(void)
{
	char *at = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);

	return at == MAP_FAILED ? -1 : 0;
}

static long do_epoll_add(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event);
}

static long do_epoll_wait(void)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, 0);
}

static long do_poll(void)
{
	struct pollfd fds[40];

	for (int i = 0; i < 40; i++)
		fds[i] = (struct pollfd){.fd = ends[i & 1], .events = POLLIN | POLLOUT};
	return poll(fds, 40, 1);
}

static long do_select(void)
{
	fd_set in;
	struct timeval soon = {0, 1000};

	FD_ZERO(&in);
	FD_SET(ends[0], &in);
	return select(ends[0] + 1, &in, NULL, NULL, &soon);
}

static long do_signalfd(void)
{
	uint64_t mask = 1;

	return syscall(SYS_signalfd4, -1, &mask, 8, 0);
}

static long do_chdir(void)
{
	return chdir(FAILURES_DIRECTORY);
}

static long do_getcwd(void)
{
	return getcwd(buffer, sizeof(buffer)) ? 0 : -1;
}

static long do_flock(void)
{
	return flock(fd, LOCK_EX);
}

static long do_lock(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_len = 10};

	return fcntl(fd, F_SETLK, &lock);
}

static void with_lock(void)
{
	with_file();
	do_lock();
}

static long do_unlock_middle(void)
{
	struct flock lock = {.l_type = F_UNLCK, .l_start = 3, .l_len = 2};

	return fcntl(fd, F_SETLK, &lock);
}

static long do_copy_range(void)
{
	return syscall(SYS_copy_file_range, fd, NULL, fd2, NULL, 9000, 0);
}

static long do_sendfile(void)
{
	return sendfile(fd2, fd, NULL, 9000);
}

static void with_splice(void)
{
	with_file();
	pipe(ends);
	pipe(others);
	write(others[1], buffer, 100);
}

static long do_splice_in(void)
{
	return splice(fd, NULL, ends[1], NULL, 9000, 0);
}

static long do_splice_out(void)
{
	return splice(others[0], NULL, fd, &(loff_t){PAGE * 5}, 100, 0);
}

static long do_tee(void)
{
	return tee(others[0], ends[1], 100, 0);
}

static long do_vmsplice(void)
{
	struct iovec vectors[9] = {{buffer, 9000}, {buffer, 10}};

	return vmsplice(ends[1], vectors, 9, 0);
}

static long do_utimes(void)
{
	return utimensat(AT_FDCWD, FAILURES_DIRECTORY "/file", NULL, 0);
}

static long do_epoll_inner(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int inner = epoll_create1(0);
	long result = inner < 0 ? -1 : epoll_ctl(fd, EPOLL_CTL_ADD, inner, &event);

	if (inner >= 0)
		close(inner);
	return result;
}

const struct failing_call calls_of_files[] = {
    {"open", with_directory, do_open},
    {"open of a directory", NULL, do_open_directory},
    {"open of a file of /proc", NULL, do_open_proc},
    {"pipe", NULL, do_pipe},
    {"socketpair", NULL, do_socketpair},
    {"eventfd", NULL, do_eventfd},
    {"epoll_create", NULL, do_epoll_create},
    {"timerfd_create", NULL, do_timerfd},
    {"signalfd", NULL, do_signalfd},
    {"memfd_create", NULL, do_memfd},
    {"dup", NULL, do_dup},
    {"dup beyond the table", NULL, do_dup_far},
    {"dup2 beyond the table", NULL, do_dup2_far},
    {"pidfd_open", NULL, do_pidfd},
    {"mkdir", with_directory, do_mkdir},
    {"mknod", with_directory, do_mknod},
    {"symlink", with_directory, do_symlink},
    {"link", with_file, do_link},
    {"rename", with_file, do_rename},
    {"rename over a file", with_two_files, do_rename},
    {"unlink", with_file, do_unlink},
    {"truncate", with_file, do_truncate},
    {"fallocate", with_file, do_fallocate},
    {"write", with_file, do_write},
    {"read", with_file, do_read},
    {"writev", with_file, do_writev},
    {"write to a pipe", with_pipe, do_pipe_write},
    {"read from a pipe", with_full_pipe, do_pipe_read},
    {"getdents", NULL, do_getdents},
    {"stat", with_file, do_stat},
    {"readlink", NULL, do_readlink},
    {"sendmsg with descriptors", with_pair, do_sendmsg},
    {"recvmsg with descriptors", with_message, do_recvmsg},
    {"mmap of a file", with_file, do_mmap_file},
    {"epoll_ctl", with_epoll, do_epoll_add},
    {"epoll_ctl of a set", with_epoll, do_epoll_inner},
    {"epoll_wait", with_epoll, do_epoll_wait},
    {"poll", with_pipe, do_poll},
    {"select", with_pipe, do_select},
    {"chdir", with_directory, do_chdir},
    {"getcwd", NULL, do_getcwd},
    {"flock", with_file, do_flock},
    {"a lock", with_file, do_lock},
    {"a lock that is cut in two", with_lock, do_unlock_middle},
    {"copy_file_range", with_two_files, do_copy_range},
    {"sendfile", with_two_files, do_sendfile},
    {"splice of a file", with_splice, do_splice_in},
    {"splice to a file", with_splice, do_splice_out},
    {"tee", with_splice, do_tee},
    {"vmsplice", with_splice, do_vmsplice},
    {"utimensat", with_file, do_utimes},
    {NULL, NULL, NULL},
};
