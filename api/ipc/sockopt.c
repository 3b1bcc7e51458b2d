/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of sockets: getsockopt(2), setsockopt(2). */
#include <asm/socket.h>
#include <linux/errno.h>
#include "api/calls.h"
#include "api/ipc/socket.h"
#include "kernel/file/file.h"
#include "kernel/mem/user.h"

/* Returns the value of an option as an int; false: unknown option. */
static bool option_value(struct socket *socket, uint64_t option, int *value)
{
	switch (option) {
	case SO_TYPE:
		*value = socket->type;
		return true;
	case SO_DOMAIN:
		*value = AF_UNIX;
		return true;
	case SO_ERROR:
		*value = -socket->error;
		socket->error = 0;
		return true;
	case SO_SNDBUF:
	case SO_RCVBUF:
		*value = SOCKET_BYTES;
		return true;
	case SO_PASSCRED:
		*value = socket->pass_cred;
		return true;
	case SO_ACCEPTCONN:
		*value = socket->backlog.open;
		return true;
	case SO_PROTOCOL:
	case SO_REUSEADDR:
	case SO_KEEPALIVE:
		*value = 0;
		return true;
	default:
		return false;
	}
}

static long get_option(struct socket *socket, uint64_t option, uint64_t user, uint64_t bytes_user)
{
	const struct message_cred *cred = &socket->peer_cred;
	const void *answer = cred;
	int room, value = 0, bytes = sizeof(*cred);

	if (copy_from_user(&room, bytes_user, sizeof(room)))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	if (option != SO_PEERCRED) {
		if (!option_value(socket, option, &value))
			return -ENOPROTOOPT;
		answer = &value;
		bytes = sizeof(value);
	}
	if (bytes > room)
		bytes = room;
	if (copy_to_user(user, answer, (size_t)bytes))
		return -EFAULT;
	return copy_to_user(bytes_user, &bytes, sizeof(bytes));
}

static long set_option(struct socket *socket, uint64_t option, uint64_t user, uint64_t bytes)
{
	int value;

	if (bytes < sizeof(value))
		return -EINVAL;
	if (copy_from_user(&value, user, sizeof(value)))
		return -EFAULT;
	switch (option) {
	case SO_PASSCRED:
		socket->pass_cred = value;
		return 0;
	case SO_SNDBUF: /* fixed */
	case SO_RCVBUF:
	case SO_REUSEADDR:
	case SO_KEEPALIVE:
		return 0;
	default:
		return -ENOPROTOOPT;
	}
}

/* Calls `work` on the socket. `bytes` is the length of the option in `user` or, for getsockopt, the
 * address of the length. */
static long option_call(uint64_t fd, uint64_t level, uint64_t option, uint64_t user, uint64_t bytes,
			long (*work)(struct socket *, uint64_t, uint64_t, uint64_t))
{
	struct socket *socket;
	struct file *file;
	long result = socket_get(fd, &file, &socket);

	if (result)
		return result;
	result = level == SOL_SOCKET ? work(socket, option, user, bytes) : -EOPNOTSUPP;
	file_put(file);
	return result;
}

long sys_getsockopt(uint64_t fd, uint64_t level, uint64_t option, uint64_t user, uint64_t bytes)
{
	return option_call(fd, level, option, user, bytes, get_option);
}

long sys_setsockopt(uint64_t fd, uint64_t level, uint64_t option, uint64_t user, uint64_t bytes)
{
	return option_call(fd, level, option, user, bytes, set_option);
}
