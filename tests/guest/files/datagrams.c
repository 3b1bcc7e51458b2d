/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of sockets with names: sender, receiver and address, refusals, waiting: unix(7). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/guest/files/unix_names.h"
#include "tests/guest/tap.h"

#define PLACE "/tmp/datagrams"
#define LOG   "/tmp/datagrams.log"

/* A socket that does not wait, with a name or (NULL) without. */
static int fresh(const char *name)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;

	if (name && bind(fd, (void *)&address, address_of(&address, name)))
		return -1;
	return fd;
}

static long send_to(int fd, const char *name, const char *text)
{
	struct sockaddr_un address;
	socklen_t bytes = address_of(&address, name);

	return sendto(fd, text, strlen(text), 0, (void *)&address, bytes);
}

static int direct(int fd, const char *name)
{
	struct sockaddr_un address;

	return connect(fd, (void *)&address, address_of(&address, name));
}

static int nobody(int fd)
{
	return connect(fd, &(struct sockaddr){.sa_family = AF_UNSPEC}, sizeof(struct sockaddr));
}

/* The next datagram is this text from this name; NULL: from one without. */
static bool came(int fd, const char *text, const char *from)
{
	struct sockaddr_un address, expected;
	socklen_t bytes = sizeof(address), right = from ? address_of(&expected, from) : 0;
	char buffer[64];
	ssize_t length = recvfrom(fd, buffer, sizeof(buffer), 0, (void *)&address, &bytes);

	return length == (ssize_t)strlen(text) && !memcmp(buffer, text, (size_t)length) &&
	       bytes == right && !memcmp(&address, &expected, right);
}

/* As the function above by recvmsg, with room for `room` bytes of the name. */
static bool came_by_message(int fd, const char *text, const char *from, socklen_t room)
{
	struct sockaddr_un address = {0}, expected;
	socklen_t right = address_of(&expected, from);
	char buffer[64];
	struct iovec vector = {buffer, sizeof(buffer)};
	struct msghdr message = {
	    .msg_name = &address, .msg_namelen = room, .msg_iov = &vector, .msg_iovlen = 1};
	ssize_t length = recvmsg(fd, &message, 0);

	return length == (ssize_t)strlen(text) && !memcmp(buffer, text, (size_t)length) &&
	       message.msg_namelen == right &&
	       !memcmp(&address, &expected, room < right ? room : right);
}

static bool empty(int fd)
{
	char byte;

	return fails(recv(fd, &byte, 1, 0), EAGAIN);
}

static short polled(int fd)
{
	struct pollfd one = {fd, POLLIN | POLLOUT, 0};

	poll(&one, 1, 0);
	return one.revents;
}

static void addresses(const char *server_name, const char *name)
{
	int server = fresh(server_name), named = fresh(name), other = fresh(NULL);

	ok(server >= 0 && named >= 0 && other >= 0, "%s: sockets of datagrams", server_name);
	ok(empty(server) && polled(server) == POLLOUT, "nothing came");
	ok(send_to(named, server_name, "one") == 3 && send_to(other, server_name, "three") == 5 &&
	       send_to(named, server_name, "") == 0,
	   "two send to it");
	ok(polled(server) == (POLLIN | POLLOUT), "poll tells it");
	ok(came(server, "one", name), "a text and who sent it");
	ok(came(server, "three", NULL), "a datagram of a socket without a name");
	ok(came(server, "", name), "nothing, but from somebody");
	ok(empty(server), "no further datagram: EAGAIN");
	ok(send_to(server, name, "back") == 4 && came_by_message(named, "back", server_name, 110),
	   "an answer");
	ok(send_to(server, name, "back") == 4 && came_by_message(named, "back", server_name, 5),
	   "the sender's name is cut to the room");
	ok(send_to(server, server_name, "self") == 4 && came(server, "self", server_name),
	   "a socket sends to itself");
	close(server);
	ok(fails(send_to(named, server_name, "x"), ECONNREFUSED),
	   "sending to a closed socket: ECONNREFUSED");
	close(named);
	close(other);
}

static void direction(void)
{
	int server = fresh("@server"), other = fresh("@other"), fd = fresh("@client"),
	    mine = fresh(NULL);
	struct sockaddr_un address;
	socklen_t bytes = sizeof(address);

	ok(fails(send(fd, "x", 1, 0), ENOTCONN), "sending without an address: ENOTCONN");
	ok(fails(getpeername(fd, (void *)&address, &bytes), ENOTCONN),
	   "getpeername of an unconnected socket: ENOTCONN");
	ok(!direct(fd, "@server") && send(fd, "first", 5, 0) == 5, "connect chooses whom");
	ok(!getpeername(fd, (void *)&address, &bytes) && bytes == START + 7 &&
	       !memcmp(address.sun_path, "\0server", 7),
	   "getpeername tells the connected socket");
	ok(came(server, "first", "@client"), "the datagram came to the connected socket");
	ok(send_to(fd, "@other", "else") == 4 && came(other, "else", "@client"),
	   "an address goes before");
	ok(send_to(server, "@client", "a") == 1 && came(fd, "a", "@server"),
	   "a connected socket hears its peer");
	ok(fails(send_to(other, "@client", "b"), EPERM) && fails(direct(other, "@client"), EPERM),
	   "another sender to a connected socket: EPERM");
	ok(send_to(server, "@client", "lost") == 4 && !direct(fd, "@other") && empty(fd),
	   "connecting elsewhere drops received datagrams");
	ok(!direct(server, "@other") && send(server, "x", 1, 0) == 1 && came(other, "x", "@server"),
	   "several to one");
	ok(!nobody(fd) && fails(send(fd, "x", 1, 0), ENOTCONN), "AF_UNSPEC: to nobody again");
	ok(send_to(other, "@client", "b") == 1 && came(fd, "b", "@other"),
	   "after AF_UNSPEC any sender is heard");
	close(other);
	ok(fails(send(server, "x", 1, 0), ECONNREFUSED), "a closed peer: ECONNREFUSED");
	ok(fails(send(server, "x", 1, 0), ENOTCONN), "once: then ENOTCONN");
	ok(!direct(fd, "@server") && !direct(server, "@client") && send(fd, "1", 1, 0) == 1 &&
	       !nobody(server) && empty(server),
	   "one of a pair closes with an unread datagram");
	ok(fails(recv(fd, &bytes, 1, 0), ECONNRESET) && empty(fd),
	   "the other of the pair gets ECONNRESET once");
	ok(!direct(mine, "@server") && fails(listen(mine, 1), EOPNOTSUPP) &&
	       fails(accept(mine, NULL, NULL), EOPNOTSUPP),
	   "nobody listens or accepts: EOPNOTSUPP");
	close(fd);
	close(mine);
	close(server);
}

static void refusals(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = PLACE};
	struct sockaddr *const any = (struct sockaddr *)&address;
	int fd = fresh(NULL), stream = socket(AF_UNIX, SOCK_STREAM, 0), other = fresh("@refuses");
	static char big[300000];
	struct msghdr message = {.msg_name = &address, .msg_namelen = -1};

	ok(fails(sendto(fd, "x", 1, 0, any, START), EINVAL) &&
	       fails(sendto(fd, "x", 1, 0, any, 1), EINVAL) &&
	       fails(sendto(fd, "x", 1, 0, any, 111), EINVAL) &&
	       fails(connect(fd, any, START), EINVAL),
	   "lengths: EINVAL");
	ok(fails(sendto(fd, "x", 1, 0, (void *)8, 20), EFAULT), "no address: EFAULT");
	ok(fails(send_to(fd, PLACE, "x"), ENOENT) && fails(send_to(fd, "@none", "x"), ECONNREFUSED),
	   "nobody there: ENOENT, ECONNREFUSED");
	bind(stream, any, sizeof(address));
	ok(fails(send_to(fd, PLACE, "x"), EPROTOTYPE) && fails(direct(fd, PLACE), EPROTOTYPE),
	   "a stream's name: EPROTOTYPE");
	address.sun_family = AF_INET;
	ok(fails(sendto(fd, "x", 1, 0, any, 20), EINVAL), "another family: EINVAL");
	ok(fails(recvmsg(fd, &message, 0), EINVAL), "room of less than nothing: EINVAL");
	direct(fd, "@refuses");
	ok(fails(send(fd, big, sizeof(big), 0), EMSGSIZE), "a datagram that is too long: EMSGSIZE");
	ok(!shutdown(other, SHUT_RD) && fails(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE),
	   "nobody reads: EPIPE");
	ok(!shutdown(fd, SHUT_WR) && fails(send_to(fd, "@refuses", "x"), EPIPE),
	   "sending after one's own shutdown: EPIPE");
	close(fd);
	close(stream);
	close(other);
	unlink(PLACE);
}

static void *read_late(void *fd)
{
	char byte;

	usleep(20000);
	return (void *)(long)recv(*(int *)fd, &byte, 1, 0);
}

static void *close_late(void *fd)
{
	usleep(20000);
	close(*(int *)fd);
	return NULL;
}

static void waiting(void)
{
	int server = fresh("@slow"), fd = fresh(NULL), client = fresh(NULL);
	unsigned sent = 0;
	pthread_t thread;
	void *result;

	while (sent < 100 && send_to(fd, "@slow", "x") == 1)
		sent++;
	ok(sent == 11 && errno == EAGAIN, "%u datagrams of strangers wait, then EAGAIN", sent);
	direct(client, "@slow");
	ok(polled(client) == 0 && fails(send(client, "x", 1, 0), EAGAIN), "poll tells it");
	fcntl(fd, F_SETFL, 0);
	pthread_create(&thread, NULL, read_late, &server);
	ok(send_to(fd, "@slow", "y") == 1, "a waiting sender continues when there is room");
	pthread_join(thread, &result);
	is((long)result, 1, "a waiting sender continued for a received datagram");
	pthread_create(&thread, NULL, close_late, &server);
	ok(fails(send_to(fd, "@slow", "y"), ECONNREFUSED),
	   "nobody is there any more: ECONNREFUSED");
	pthread_join(thread, NULL);
	ok(polled(client) & POLLOUT && fails(send(client, "x", 1, 0), ECONNREFUSED),
	   "poll shows no room for other senders");
	close(fd);
	close(client);
}

static int other_user(void)
{
	int fd = fresh(NULL), wrong = 0;

	if (setgid(1001) || setuid(1001))
		return 64;
	wrong |= !fails(send_to(fd, PLACE, "x"), EACCES);
	wrong |= (send_to(fd, "@open", "user") != 4) << 1;
	return wrong;
}

/* A logger's operations, and the sender's credentials. */
static void rights(void)
{
	int server = fresh(PLACE), log = fresh("@open"), status, on = 1;
	char control[64], buffer[16];
	struct iovec vector = {buffer, sizeof(buffer)};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct ucred cred = {0};
	pid_t child;

	chmod(PLACE, 0755);
	setsockopt(log, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	child = fork();
	if (!child)
		_exit(other_user());
	waitpid(child, &status, 0);
	is(status, 0, "a path's right to write is asked");
	is(recvmsg(log, &message, 0), 4, "a datagram of somebody who ended");
	memcpy(&cred, CMSG_DATA((struct cmsghdr *)control), sizeof(cred));
	ok(cred.pid == child && cred.uid == 1001 && cred.gid == 1001,
	   "SCM_CREDENTIALS of an ended sender");
	close(server);
	close(log);
	unlink(PLACE);
}

/* All that a datagram holds goes with it. */
static void again(void)
{
	bool all = true;

	for (unsigned i = 0; i < 3000; i++) {
		int server = fresh("@again"), fd = fresh("@sender");

		all &= !direct(fd, "@again") && send(fd, "left", 4, 0) == 4;
		close(i & 1 ? fd : server);
		close(i & 1 ? server : fd);
	}
	ok(all, "3000 times");
}

int main(void)
{
	mkdir("/tmp", 0777);
	addresses("@log", "@one");
	addresses(LOG, PLACE);
	unlink(LOG);
	unlink(PLACE);
	direction();
	refusals();
	waiting();
	rights();
	again();
	return tap_end();
}
