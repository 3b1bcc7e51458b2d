/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and options of sockets: getsockname(2), getsockopt(2); and what the ends of a pair refuse.
 */
#include <asm/socket.h>
#include <linux/errno.h>
#include "api/calls.h"
#include "api/socket.h"
#include "kernel/fs/file.h"
#include "kernel/mem/user.h"

/* An unnamed socket's name is its family. */
static long get_name(uint64_t fd, uint64_t user, uint64_t bytes_user, bool of_peer)
{
	const uint16_t family = AF_UNIX;
	struct socket *socket;
	struct file *file;
	int room, bytes = sizeof(family), err = socket_get(fd, &file, &socket);

	if (err)
		return err;
	if (of_peer && !socket->peer)
		err = -ENOTCONN;
	else if (copy_from_user(&room, bytes_user, sizeof(room)))
		err = -EFAULT;
	else if (room < 0)
		err = -EINVAL;
	else if (copy_to_user(user, &family, (size_t)(room < bytes ? room : bytes)) ||
		 copy_to_user(bytes_user, &bytes, sizeof(bytes)))
		err = -EFAULT;
	file_put(file);
	return err;
}

long sys_getsockname(uint64_t fd, uint64_t user, uint64_t bytes)
{
	return get_name(fd, user, bytes, false);
}

long sys_getpeername(uint64_t fd, uint64_t user, uint64_t bytes)
{
	return get_name(fd, user, bytes, true);
}

/* The value of an option as an int; false: there is no such. */
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
	case SO_PROTOCOL:
	case SO_ACCEPTCONN:
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

/* `bytes` is the length of what `user` has or, asked, the address of the length. */
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

/* bind, listen, accept, connect: the ends of a pair are connected for good. */
long sys_socket_refuse(uint64_t fd)
{
	struct socket *socket;
	struct file *file;
	int err = socket_get(fd, &file, &socket);

	if (err)
		return err;
	file_put(file);
	return -EINVAL;
}

long sys_connect(uint64_t fd)
{
	long result = sys_socket_refuse(fd);

	return result == -EINVAL ? -EISCONN : result;
}
