/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of sockets of each kind, descriptors passed through them, shutdown, refusals; and
 * nameless files with seals. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/send_fds.h"
#include "tests/guest/tap.h"

static bool fails(long result, int error)
{
	return result == -1 && errno == error;
}

static void streams(void)
{
	char buffer[64] = "";
	struct iovec vectors[2] = {{buffer, 3}, {buffer + 3, 61}};
	struct pollfd one = {.events = POLLIN | POLLRDHUP};
	int ends[2], waiting = 0;
	struct stat stat;

	ok(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "a pair of streams");
	ok(!fstat(ends[0], &stat) && S_ISSOCK(stat.st_mode), "socketpair makes sockets");
	ok(write(ends[0], "abc", 3) == 3 && send(ends[0], "defg", 4, 0) == 4, "two writes");
	ok(!ioctl(ends[1], FIONREAD, &waiting) && waiting == 7, "FIONREAD");
	ok(recv(ends[1], buffer, 2, MSG_PEEK) == 2 && !memcmp(buffer, "ab", 2), "a peek");
	ok(readv(ends[1], vectors, 2) == 7 && !memcmp(buffer, "abcdefg", 7),
	   "one read takes two writes of a stream");
	ok(write(ends[1], "back", 4) == 4 && read(ends[0], buffer, 64) == 4,
	   "a stream goes both ways");
	ok(fails(recv(ends[0], buffer, 64, MSG_DONTWAIT), EAGAIN), "nothing more: EAGAIN");
	one.fd = ends[0];
	ok(poll(&one, 1, 0) == 0, "poll says so");
	write(ends[1], "x", 1);
	ok(!shutdown(ends[1], SHUT_WR) && poll(&one, 1, 0) == 1 &&
	       one.revents == (POLLIN | POLLRDHUP),
	   "poll after a shutdown");
	ok(read(ends[0], buffer, 64) == 1 && read(ends[0], buffer, 64) == 0,
	   "the rest, then the end");
	ok(write(ends[0], "y", 1) == 1 && read(ends[1], buffer, 1) == 1,
	   "after shutdown the other direction works");
	ok(fails(send(ends[1], "z", 1, MSG_NOSIGNAL), EPIPE), "not this one: EPIPE");
	write(ends[0], "unread", 6);
	close(ends[1]);
	ok(fails(read(ends[0], buffer, 64), ECONNRESET), "closed with unread bytes: ECONNRESET");
	ok(read(ends[0], buffer, 64) == 0 && fails(send(ends[0], "z", 1, MSG_NOSIGNAL), EPIPE),
	   "then the end");
	ok(poll(&one, 1, 0) == 1 && one.revents == (POLLIN | POLLHUP | POLLRDHUP), "poll hangs up");
	close(ends[0]);
}

static void *drain(void *argument)
{
	char *buffer = malloc(100000);
	long sum = 0, got;

	while ((got = read(*(int *)argument, buffer, 100000)) > 0)
		sum += got;
	free(buffer);
	return (void *)sum;
}

static void flow(void)
{
	const size_t most = 3000000;
	char *data = calloc(1, most);
	pthread_t thread;
	void *sum;
	int ends[2];

	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
	ok(fcntl(ends[0], F_GETFL) == (O_RDWR | O_NONBLOCK) &&
	       fcntl(ends[0], F_GETFD) == FD_CLOEXEC,
	   "flags of the type");
	ok(write(ends[0], data, most) < (long)most && fails(write(ends[0], data, 100000), EAGAIN),
	   "a stream fills up: EAGAIN");
	fcntl(ends[0], F_SETFL, 0);
	fcntl(ends[1], F_SETFL, 0);
	close(ends[0]);
	close(ends[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	pthread_create(&thread, NULL, drain, &ends[1]);
	ok(write(ends[0], data, most) == (long)most, "a writer waits for the reader");
	close(ends[0]);
	pthread_join(thread, &sum);
	ok((long)sum == (long)most, "every byte arrives");
	close(ends[1]);
	free(data);
}

static void messages(int type, const char *name)
{
	struct iovec parts[2] = {{"one", 3}, {"two", 3}};
	char buffer[16];
	struct iovec small = {buffer, 4};
	struct msghdr message = {.msg_iov = &small, .msg_iovlen = 1};
	int ends[2], value = 0;
	socklen_t bytes = sizeof(value);

	ok(!socketpair(AF_UNIX, type, 0, ends), "a pair of %s", name);
	ok(writev(ends[0], parts, 2) == 6 && send(ends[0], "", 0, 0) == 0 &&
	       send(ends[0], "third", 5, 0) == 5,
	   "three messages, one empty");
	ok(recvmsg(ends[1], &message, 0) == 4 && message.msg_flags & MSG_TRUNC &&
	       !memcmp(buffer, "onet", 4),
	   "a long message is cut off (MSG_TRUNC)");
	ok(recv(ends[1], buffer, 16, 0) == 0, "the empty one");
	ok(recv(ends[1], buffer, 2, MSG_TRUNC | MSG_PEEK) == 5 && recv(ends[1], buffer, 16, 0) == 5,
	   "the last: its length, then itself");
	ok(fails(recv(ends[1], buffer, 16, MSG_DONTWAIT), EAGAIN), "no further message: EAGAIN");
	ok(fails(send(ends[0], malloc(1), 1 << 20, MSG_DONTWAIT), EMSGSIZE) || errno == EFAULT,
	   "a message that is too long: EMSGSIZE");
	ok(!getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &value, &bytes) && value == type, "SO_TYPE");
	close(ends[1]);
	if (type == SOCK_DGRAM)
		ok(fails(send(ends[0], "x", 1, MSG_NOSIGNAL), ECONNREFUSED), "nobody there");
	else
		ok(fails(send(ends[0], "x", 1, MSG_NOSIGNAL), EPIPE) &&
		       recv(ends[0], buffer, 16, 0) == 0,
		   "nobody there");
	close(ends[0]);
}

/* Receives descriptors with room for `room`; returns how many came, and msg_flags. */
static int receive_fds(int socket, int *fds, unsigned room, int *flags)
{
	char control[CMSG_SPACE(8 * sizeof(int))] = "", byte;
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = CMSG_LEN(room * sizeof(int))};
	struct cmsghdr *header;
	int count;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	*flags = message.msg_flags & ~MSG_CMSG_CLOEXEC;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_type != SCM_RIGHTS)
		return 0;
	count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	memcpy(fds, CMSG_DATA(header), (size_t)count * sizeof(int));
	return count;
}

static void descriptors(void)
{
	int ends[2], pipe_ends[2], got[4], flags = 0;
	char byte = 0;
	pid_t child;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	child = fork();
	if (!child) {
		pipe(pipe_ends);
		send_fds(ends[0], pipe_ends, 1);
		write(pipe_ends[1], "p", 1);
		_exit(0);
	}
	ok(receive_fds(ends[1], got, 4, &flags) == 1 && !flags && read(got[0], &byte, 1) == 1 &&
	       byte == 'p',
	   "a descriptor of another process");
	ok(fcntl(got[0], F_GETFD) == FD_CLOEXEC, "close-on-exec as asked");
	waitpid(child, NULL, 0);
	close(got[0]);
	pipe(pipe_ends);
	ok(send_fds(ends[0], pipe_ends, 2) == 1 && receive_fds(ends[1], got, 1, &flags) == 1 &&
	       flags & MSG_CTRUNC,
	   "more than fit: MSG_CTRUNC");
	close(got[0]);
	send_fds(ends[0], pipe_ends, 1);
	write(ends[0], "tail", 4);
	close(pipe_ends[0]);
	ok(read(ends[1], got, 16) == 1, "a plain read drops them, and ends there");
	signal(SIGPIPE, SIG_IGN);
	ok(fails(write(pipe_ends[1], "x", 1), EPIPE), "unreceived descriptors are closed");
	close(pipe_ends[1]);
	ok(fails(send_fds(ends[0], (int[]){-1}, 1), EBADF), "not a descriptor: EBADF");
	close(ends[0]);
	close(ends[1]);
}

static void credentials(void)
{
	struct ucred cred = {0};
	socklen_t bytes = sizeof(cred);
	int ends[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	ok(!getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &cred, &bytes) && cred.pid == getpid() &&
	       cred.uid == getuid(),
	   "SO_PEERCRED");
	close(ends[0]);
	close(ends[1]);
}

static void refusals(void)
{
	int ends[2], value = 0;
	socklen_t bytes = sizeof(value);
	struct sockaddr address;

	ok(fails(socketpair(AF_UNIX, 7, 0, ends), ESOCKTNOSUPPORT) &&
	       fails(socketpair(AF_UNIX, SOCK_STREAM, 9, ends), EPROTONOSUPPORT) &&
	       fails(socketpair(AF_UNIX, SOCK_STREAM | 0x100, 0, ends), EINVAL) &&
	       fails(socketpair(99, SOCK_STREAM, 0, ends), EAFNOSUPPORT),
	   "pairs that are not there");
	ok(fails(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, 8L), EFAULT), "EFAULT");
	ok(fails(send(0, "x", 1, 0), ENOTSOCK) && fails(send(-1, "x", 1, 0), EBADF) &&
	       fails(shutdown(0, 0), ENOTSOCK),
	   "ENOTSOCK, EBADF");
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	ok(fails(shutdown(ends[0], 3), EINVAL), "shutdown: EINVAL");
	ok(fails(getsockopt(ends[0], SOL_SOCKET, 999, &value, &bytes), ENOPROTOOPT), "ENOPROTOOPT");
	bytes = sizeof(address);
	ok(!getsockname(ends[0], &address, &bytes) && bytes == 2 && address.sa_family == AF_UNIX,
	   "a name without a name");
	ok(fails(lseek(ends[0], 0, SEEK_SET), ESPIPE), "ESPIPE");
	close(ends[0]);
	close(ends[1]);
}

static volatile sig_atomic_t async_count, async_fd, async_code;
static volatile long async_band;

static void async_handler(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	async_count++;
	async_fd = info->si_fd;
	async_code = info->si_code;
	async_band = info->si_band;
}

/* Asks for a real-time signal when the file is ready. */
static void ask_for_signal(int fd)
{
	const struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (int)syscall(SYS_gettid)};

	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_SETSIG, SIGRTMIN + 1);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
	async_count = 0;
}

static void signals_of_files(void)
{
	struct sigaction action = {.sa_sigaction = async_handler, .sa_flags = SA_SIGINFO};
	int ends[2];
	char byte;

	sigaction(SIGRTMIN + 1, &action, NULL);
	pipe(ends);
	ask_for_signal(ends[0]);
	write(ends[1], "x", 1);
	ok(async_count == 1 && async_fd == ends[0] && async_code == POLL_IN &&
	       async_band == (POLLIN | POLLRDNORM),
	   "a byte in a pipe sends the reader's signal");
	fcntl(ends[0], F_SETFL, 0);
	ask_for_signal(ends[1]);
	read(ends[0], &byte, 1);
	ok(async_count == 1 && async_fd == ends[1] && async_code == POLL_OUT &&
	       async_band == (POLLOUT | POLLWRNORM | POLLWRBAND),
	   "room in it the writer's");
	close(ends[0]);
	close(ends[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	ask_for_signal(ends[0]);
	write(ends[1], "x", 1);
	ok(async_count == 1 && async_fd == ends[0] && async_code == POLL_IN,
	   "a byte in a socket its owner's");
	fcntl(ends[0], F_SETFL, 0);
	write(ends[1], "x", 1);
	ok(async_count == 1, "not without O_ASYNC");
	close(ends[0]);
	close(ends[1]);
}

static void nameless(void)
{
	char path[64], link[64] = "";
	int fd = memfd_create("scratch", MFD_CLOEXEC | MFD_ALLOW_SEALING), plain;
	char *map;

	ok(fd >= 0 && !ftruncate(fd, 10000) && pwrite(fd, "data", 4, 5000) == 4, "a nameless file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ok(readlink(path, link, sizeof(link) - 1) > 0 && !strcmp(link, "/memfd:scratch (deleted)"),
	   "a nameless file's name in /proc");
	map = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ok(!memcmp(map + 5000, "data", 4), "mapped");
	ok(!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4998, 4) &&
	       !memcmp(map + 5000, "\0\0ta", 4),
	   "a hole");
	ok(fcntl(fd, F_GET_SEALS) == 0 && fails(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), EBUSY),
	   "no seal against writing while it can be written");
	munmap(map, 10000);
	ok(!fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) &&
	       fails(ftruncate(fd, 20000), EPERM) && fails(ftruncate(fd, 100), EPERM) &&
	       fails(pwrite(fd, "x", 1, 10000), EPERM) && pwrite(fd, "x", 1, 0) == 1,
	   "sealed against growing and shrinking");
	ok(!fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) && fails(pwrite(fd, "x", 1, 0), EPERM) &&
	       mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EPERM,
	   "against writing");
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	ok(map != MAP_FAILED && map[0] == 'x', "still readable");
	munmap(map, 4096);
	ok(!fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL) && fails(fcntl(fd, F_ADD_SEALS, 0), EPERM),
	   "against seals");
	plain = memfd_create("", 0);
	ok(fcntl(plain, F_GET_SEALS) == F_SEAL_SEAL, "no seals unless asked for");
	ok(fails(memfd_create("x", 0x100), EINVAL) &&
	       fails(syscall(SYS_memfd_create, 8L, 0), EFAULT),
	   "EINVAL, EFAULT");
	close(plain);
	close(fd);
}

int main(void)
{
	streams();
	flow();
	messages(SOCK_DGRAM, "datagram sockets");
	messages(SOCK_SEQPACKET, "packet sockets");
	descriptors();
	credentials();
	refusals();
	signals_of_files();
	nameless();
	return tap_end();
}
