/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets with names: bind, listen, connect, accept, by paths and by abstract names;
 * permissions, waiting, refusals, poll's events: unix(7). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/files/unix_names.h"
#include "tests/guest/tap.h"

#define DIRECTORY "/tmp/named_sockets"
#define PLACE     DIRECTORY "/s"

static int bind_to(int fd, const char *name)
{
	struct sockaddr_un address;
	socklen_t bytes = address_of(&address, name);

	return bind(fd, (struct sockaddr *)&address, bytes);
}

static int connect_to(int fd, const char *name)
{
	struct sockaddr_un address;
	socklen_t bytes = address_of(&address, name);

	return connect(fd, (struct sockaddr *)&address, bytes);
}

static int fresh(int type)
{
	return socket(AF_UNIX, type, 0);
}

static int listener(const char *name, int type, int backlog)
{
	int fd = fresh(type);

	return !bind_to(fd, name) && !listen(fd, backlog) ? fd : -1;
}

/* A client that does not wait. */
static int client(const char *name, int type)
{
	int fd = fresh(type | SOCK_NONBLOCK);

	return connect_to(fd, name) ? -1 : fd;
}

static short polled(int fd)
{
	struct pollfd one = {fd, POLLIN | POLLOUT | POLLRDHUP, 0};

	poll(&one, 1, 0);
	return one.revents;
}

static bool named(int fd, bool peer, const char *name)
{
	struct sockaddr_un address = {0}, expected;
	socklen_t bytes = sizeof(address), right = name ? address_of(&expected, name) : START;
	int err = (peer ? getpeername : getsockname)(fd, (struct sockaddr *)&address, &bytes);

	return !err && bytes == right && address.sun_family == AF_UNIX &&
	       (!name || !memcmp(&address, &expected, bytes));
}

static bool credentials(int fd, pid_t pid, uid_t uid, gid_t gid)
{
	struct ucred cred;
	socklen_t bytes = sizeof(cred);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes) && cred.pid == pid &&
	       cred.uid == uid && cred.gid == gid;
}

static bool accepts(int fd)
{
	int value = -1;
	socklen_t bytes = sizeof(value);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &bytes) && value == 1;
}

/* There and back through a server and its client. */
static bool carries(int one, int other)
{
	char buffer[8] = "";

	return write(one, "there", 5) == 5 && read(other, buffer, 8) == 5 &&
	       !memcmp(buffer, "there", 5) && write(other, "back", 4) == 4 &&
	       read(one, buffer, 8) == 4 && !memcmp(buffer, "back", 4);
}

static void connections(const char *name, int type, const char *what)
{
	int server = fresh(type | SOCK_NONBLOCK), fd = fresh(type), accepted;
	struct sockaddr_un from;
	socklen_t bytes = sizeof(from);

	ok(polled(fd) == (POLLOUT | POLLHUP), "%s: poll of one that is not connected", what);
	ok(credentials(fd, 0, -1, -1) && named(fd, false, NULL), "%s: nobody yet", what);
	ok(!bind_to(server, name) && named(server, false, name), "%s: a name", what);
	ok(fails(connect_to(fd, name), ECONNREFUSED), "%s: nobody listens", what);
	ok(!accepts(server) && !listen(server, 3) && accepts(server), "%s: listen", what);
	ok(polled(server) == 0 && fails(accept(server, NULL, NULL), EAGAIN), "%s: nobody came",
	   what);
	ok(!connect_to(fd, name), "%s: connect before accept", what);
	ok(polled(server) == POLLIN && polled(fd) == POLLOUT, "%s: poll tells both", what);
	ok(write(fd, "early", 5) == 5, "%s: a write before accept", what);
	accepted = accept4(server, (struct sockaddr *)&from, &bytes, SOCK_CLOEXEC);
	ok(accepted >= 0 && bytes == START && from.sun_family == AF_UNIX, "%s: accept", what);
	ok(fcntl(accepted, F_GETFD) == FD_CLOEXEC && !(fcntl(accepted, F_GETFL) & O_NONBLOCK),
	   "%s: the listener's flags are its own", what);
	ok(read(accepted, &from, 5) == 5 && !memcmp(&from, "early", 5), "%s: it was kept", what);
	ok(carries(fd, accepted), "%s: there and back", what);
	ok(named(accepted, false, name) && named(fd, true, name) && named(accepted, true, NULL) &&
	       named(fd, false, NULL),
	   "%s: names of both ends", what);
	ok(credentials(fd, getpid(), 0, 0) && credentials(accepted, getpid(), 0, 0),
	   "%s: credentials of both ends", what);
	ok(fails(connect_to(fd, name), EISCONN) && fails(listen(fd, 1), EINVAL),
	   "%s: connected is connected", what);
	close(accepted);
	ok(polled(fd) == (POLLIN | POLLOUT | POLLHUP | POLLRDHUP) && read(fd, &from, 1) == 0,
	   "%s: the end", what);
	close(fd);
	close(server);
}

static void paths(void)
{
	struct sockaddr_un longest = {.sun_family = AF_UNIX};
	int server = listener(PLACE, SOCK_STREAM, 1), fd = -1, other = fresh(SOCK_STREAM);
	struct stat stat;

	umask(027);
	ok(fails(bind_to(other, PLACE), EADDRINUSE), "the name of another: EADDRINUSE");
	ok(!bind_to(other, DIRECTORY "/mode") && !lstat(DIRECTORY "/mode", &stat) &&
	       stat.st_mode == (S_IFSOCK | 0750),
	   "the mode is as umask says");
	umask(022);
	ok(fails(bind_to(other, DIRECTORY "/more"), EINVAL) && access(DIRECTORY "/more", F_OK),
	   "a second name: EINVAL, and nothing is left");
	close(other);
	other = fresh(SOCK_STREAM);
	ok(fails(connect_to(other, DIRECTORY "/mode"), ECONNREFUSED),
	   "nobody is behind it any more");
	ok(fails(bind_to(other, DIRECTORY "/mode"), EADDRINUSE),
	   "the path of a bound socket exists: EADDRINUSE");
	ok(fails(connect_to(other, DIRECTORY "/none"), ENOENT) &&
	       fails(bind_to(other, DIRECTORY "/none/s"), ENOENT),
	   "connecting to a missing path: ENOENT");
	ok(fails(connect_to(other, PLACE "/s"), ENOTDIR), "a socket is no directory: ENOTDIR");
	close(open(DIRECTORY "/file", O_CREAT | O_WRONLY, 0666));
	ok(fails(connect_to(other, DIRECTORY "/file"), ECONNREFUSED), "a file: ECONNREFUSED");
	ok(fails(open(PLACE, O_RDWR), ENXIO), "a socket is not opened: ENXIO");
	ok(!mknod(DIRECTORY "/node", S_IFSOCK | 0666, 0) &&
	       fails(connect_to(other, DIRECTORY "/node"), ECONNREFUSED),
	   "a node of mknod's: ECONNREFUSED");
	ok(!link(PLACE, DIRECTORY "/hard") && !symlink("s", DIRECTORY "/soft") &&
	       (fd = client(DIRECTORY "/soft", SOCK_STREAM)) >= 0 && named(fd, true, PLACE),
	   "links lead to the socket");
	close(fd);
	ok(!rename(PLACE, DIRECTORY "/moved") &&
	       (fd = client(DIRECTORY "/moved", SOCK_STREAM)) >= 0 && named(fd, true, PLACE),
	   "a renamed socket keeps its name");
	close(fd);
	close(accept(server, NULL, NULL));
	close(accept(server, NULL, NULL));
	ok(!unlink(DIRECTORY "/moved") && fails(connect_to(other, DIRECTORY "/moved"), ENOENT) &&
	       (fd = client(DIRECTORY "/hard", SOCK_STREAM)) >= 0,
	   "unlink takes a name, not the socket");
	close(fd);
	close(server);
	memset(longest.sun_path, 'x', sizeof(longest.sun_path));
	memcpy(longest.sun_path, DIRECTORY "/", strlen(DIRECTORY "/"));
	ok(!bind(other, (struct sockaddr *)&longest, sizeof(longest)), "108 bytes without NUL");
	ok(!lstat(DIRECTORY, &stat) && !unlink(DIRECTORY "/file") && !unlink(DIRECTORY "/hard") &&
	       !unlink(DIRECTORY "/soft") && !unlink(DIRECTORY "/node") &&
	       !unlink(DIRECTORY "/mode"),
	   "away with them");
	close(other);
}

static void bad_addresses(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = PLACE};
	struct sockaddr *const any = (struct sockaddr *)&address;
	int fd = fresh(SOCK_STREAM), ends[2], file = open("/dev/null", O_RDWR);

	ok(fails(connect(fd, any, START), EINVAL) && fails(connect(fd, any, 1), EINVAL) &&
	       fails(bind(fd, any, 0), EINVAL),
	   "no path: EINVAL");
	ok(fails(bind(fd, any, sizeof(address) + 1), EINVAL) &&
	       fails(connect(fd, any, sizeof(address) + 1), EINVAL) &&
	       fails(bind(fd, any, 0x7fffffff), EINVAL) && fails(bind(fd, any, -1), EINVAL),
	   "an address that is too long: EINVAL");
	ok(fails(bind(fd, (struct sockaddr *)-4096l, 10), EFAULT) &&
	       fails(connect(fd, (struct sockaddr *)8, 10), EFAULT),
	   "not the program's memory: EFAULT");
	address.sun_family = AF_INET;
	ok(fails(bind(fd, any, sizeof(address)), EINVAL) &&
	       fails(connect(fd, any, sizeof(address)), EINVAL),
	   "another family: EINVAL");
	ok(fails(listen(fd, 1), EINVAL) && fails(accept(fd, NULL, NULL), EINVAL),
	   "without a name: EINVAL");
	ok(fails(accept4(fd, NULL, NULL, 1), EINVAL), "flags of accept4: EINVAL");
	ok(fails(listen(file, 1), ENOTSOCK) && fails(bind_to(file, PLACE), ENOTSOCK) &&
	       fails(connect_to(file, PLACE), ENOTSOCK) &&
	       fails(accept(file, NULL, NULL), ENOTSOCK),
	   "no socket: ENOTSOCK");
	ok(fails(listen(999, 1), EBADF) && fails(bind_to(999, PLACE), EBADF) &&
	       fails(connect_to(999, PLACE), EBADF) && fails(accept(999, NULL, NULL), EBADF),
	   "no descriptor: EBADF");
	ok(fails(send(fd, "x", 1, MSG_NOSIGNAL), ENOTCONN) && fails(recv(fd, &file, 1, 0), EINVAL),
	   "nothing goes through it: ENOTCONN, EINVAL");
	ok(fails(sendto(fd, "x", 1, MSG_NOSIGNAL, any, 10), EOPNOTSUPP),
	   "a stream's message has no address: EOPNOTSUPP");
	ok(fails(getpeername(fd, any, &(socklen_t){sizeof(address)}), ENOTCONN),
	   "nobody's name: ENOTCONN");
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	ok(fails(listen(ends[0], 1), EOPNOTSUPP) && fails(accept(ends[0], NULL, NULL), EOPNOTSUPP),
	   "datagrams do not connect: EOPNOTSUPP");
	ok(!bind_to(ends[0], PLACE) && fails(connect_to(fd, PLACE), EPROTOTYPE) && !unlink(PLACE),
	   "another type: EPROTOTYPE");
	ok(!bind_to(ends[1], "@typed") && fails(connect_to(fd, "@typed"), ECONNREFUSED) &&
	       !bind_to(fd, "@typed"),
	   "abstract names belong to a type");
	ok(fails(socket(AF_UNIX, 4, 0), ESOCKTNOSUPPORT) && fails(socket(AF_UNIX, 12, 0), EINVAL) &&
	       fails(socket(AF_UNIX, SOCK_STREAM, 6), EPROTONOSUPPORT) &&
	       fails(socket(AF_UNIX, SOCK_STREAM | 1 << 20, 0), EINVAL) &&
	       fails(socket(99, SOCK_STREAM, 0), EAFNOSUPPORT),
	   "socket(2)'s refusals");
	close(ends[0]);
	close(ends[1]);
	close(file);
	close(fd);
}

static void abstract(void)
{
	struct sockaddr_un any = {.sun_family = AF_UNIX}, name = {0};
	int fd = fresh(SOCK_STREAM), other = fresh(SOCK_STREAM);
	socklen_t bytes = sizeof(name);

	ok(!bind_to(fd, "@a") && fails(bind_to(other, "@a"), EADDRINUSE) && !bind_to(other, "@ab"),
	   "names differ by their length");
	ok(fails(bind_to(fd, "@b"), EINVAL), "a second name: EINVAL");
	ok(fails(client("@a", SOCK_STREAM), ECONNREFUSED) &&
	       fails(client("@none", SOCK_STREAM), ECONNREFUSED),
	   "nobody listens, nobody is there: ECONNREFUSED");
	close(fd);
	close(other);
	fd = fresh(SOCK_STREAM);
	ok(!bind_to(fd, "@a"), "a name is free when its socket is closed");
	close(fd);
	fd = fresh(SOCK_STREAM);
	ok(!bind(fd, (struct sockaddr *)&any, START) &&
	       !getsockname(fd, (struct sockaddr *)&name, &bytes) && bytes == START + 6 &&
	       !name.sun_path[0] && strspn(name.sun_path + 1, "0123456789abcdef") == 5,
	   "a name that the kernel chooses");
	bytes = 4;
	ok(!getsockname(fd, (struct sockaddr *)&name, &bytes) && bytes == START + 6,
	   "the whole length is told where less has room");
	close(fd);
}

static void *accept_late(void *argument)
{
	usleep(20000);
	return (void *)(long)accept(*(int *)argument, NULL, NULL);
}

static void *connect_late(void *argument)
{
	(void)argument;
	usleep(20000);
	return (void *)(long)client("@late", SOCK_STREAM);
}

static void waiting(void)
{
	int server = listener("@late", SOCK_STREAM, 1), first, second, third = fresh(SOCK_STREAM),
	    fd;
	struct epoll_event event = {.events = EPOLLIN}, told = {0};
	int epoll = epoll_create1(0);
	pthread_t thread;
	void *accepted;

	epoll_ctl(epoll, EPOLL_CTL_ADD, server, &event);
	ok(epoll_wait(epoll, &told, 1, 0) == 0, "epoll: nobody");
	first = client("@late", SOCK_STREAM);
	second = client("@late", SOCK_STREAM);
	ok(epoll_wait(epoll, &told, 1, 0) == 1 && told.events == EPOLLIN, "epoll: somebody");
	ok(first >= 0 && second >= 0 && fails(client("@late", SOCK_STREAM), EAGAIN),
	   "one connection more than the backlog, then EAGAIN");
	pthread_create(&thread, NULL, accept_late, &server);
	ok(!connect_to(third, "@late"), "connect waits until there is room");
	pthread_join(thread, &accepted);
	ok(carries(first, (int)(long)accepted), "the first comes first");
	close((int)(long)accepted);
	close(second);
	fd = accept(server, NULL, NULL);
	ok(fd >= 0 && read(fd, &told, 1) == 0, "a client that left is accepted, and at its end");
	close(fd);
	close(accept(server, NULL, NULL));
	close(third);
	pthread_create(&thread, NULL, connect_late, NULL);
	fd = accept(server, NULL, NULL);
	pthread_join(thread, &accepted);
	ok(fd >= 0 && carries(fd, (int)(long)accepted), "accept waits until somebody comes");
	close(fd);
	close((int)(long)accepted);
	fd = client("@late", SOCK_STREAM);
	ok(!shutdown(server, SHUT_RD) && fails(client("@late", SOCK_STREAM), ECONNREFUSED),
	   "nobody more after shutdown");
	close(server);
	ok(fails(read(fd, &told, 1), ECONNRESET) && fails(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE),
	   "a waiting client of a closed listener: ECONNRESET, EPIPE");
	close(fd);
	close(first);
	close(epoll);
}

static void *close_late(void *argument)
{
	usleep(20000);
	close(*(int *)argument);
	return NULL;
}

static void endings(void)
{
	int server = listener("@full", SOCK_SEQPACKET, 0), first = client("@full", SOCK_SEQPACKET);
	int fd = fresh(SOCK_SEQPACKET);
	pthread_t thread;
	char byte;

	pthread_create(&thread, NULL, close_late, &server);
	ok(first >= 0 && fails(connect_to(fd, "@full"), ECONNREFUSED),
	   "a client that waits for room when the listener is closed: ECONNREFUSED");
	pthread_join(thread, NULL);
	ok(fails(send(fd, "x", 1, MSG_NOSIGNAL), ENOTCONN) &&
	       fails(recv(fd, &byte, 1, 0), ENOTCONN),
	   "packets that are not connected: ENOTCONN");
	close(first);
	close(fd);
}

/* Tries the socket as another user. Returns a bit for each wrong answer. */
static int other_user(const char *place)
{
	int fd = fresh(SOCK_STREAM), wrong = 0;

	if (setgid(1001) || setuid(1001))
		return 64;
	wrong |= !fails(connect_to(fd, place), EACCES);
	wrong |= !fails(connect_to(fd, DIRECTORY "/closed/s"), EACCES) << 1;
	wrong |= !fails(bind_to(fd, DIRECTORY "/new"), EACCES) << 2;
	wrong |= (connect_to(fd, "@open") != 0) << 3;
	wrong |= !credentials(fd, getppid(), 0, 0) << 4;
	return wrong;
}

static void rights(void)
{
	int server = listener(PLACE, SOCK_STREAM, 5), open = listener("@open", SOCK_STREAM, 5);
	int status, accepted, inside = listener(DIRECTORY "/closed/s", SOCK_STREAM, 1);
	pid_t child;

	chmod(PLACE, 0755);
	chmod(DIRECTORY "/closed", 0700);
	child = fork();
	if (!child)
		_exit(other_user(PLACE));
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "another user: a socket is written to connect, a directory searched (%x)", status);
	accepted = accept(open, NULL, NULL);
	ok(credentials(accepted, child, 1001, 1001), "SO_PEERCRED is of the time of connecting");
	close(accepted);
	close(server);
	close(open);
	close(inside);
	unlink(PLACE);
	unlink(DIRECTORY "/closed/s");
}

/* All that a connection holds goes with it: as often as one likes. */
static void again(void)
{
	int server = listener("@again", SOCK_STREAM, 8);
	bool all = true;

	for (unsigned i = 0; i < 3000; i++) {
		int fd = client("@again", SOCK_STREAM),
		    other = i % 3 ? accept(server, NULL, NULL) : -1;

		all = all && fd >= 0 && (i % 3 == 0 || other >= 0);
		close(fd);
		if (other >= 0)
			close(other);
		if (i % 3 == 0)
			close(accept(server, NULL, NULL));
	}
	ok(all, "3000 connections, one after the other");
	close(server);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	mkdir("/tmp", 01777);
	mkdir(DIRECTORY, 0755);
	mkdir(DIRECTORY "/closed", 0755);
	connections(PLACE, SOCK_STREAM, "a stream by its path");
	unlink(PLACE);
	connections(PLACE, SOCK_SEQPACKET, "packets by their path");
	unlink(PLACE);
	connections("@name", SOCK_STREAM, "a stream by a name");
	paths();
	bad_addresses();
	abstract();
	waiting();
	endings();
	rights();
	again();
	return tap_end();
}
