/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of sockets, and connections by them: bind(2), listen(2), connect(2), accept(2),
 * getsockname(2), unix(7). */
#include <linux/errno.h>
#include <linux/stat.h>
#include "api/calls.h"
#include "api/file/paths.h"
#include "api/ipc/socket.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/ipc/socket_name.h"
#include "kernel/mem/user.h"

int address_from_user(struct socket_address *address, uint64_t user, uint32_t bytes)
{
	*address = (struct socket_address){0};
	if (bytes < SOCKET_ADDRESS_PATH || bytes > SOCKET_ADDRESS_PATH + SOCKET_PATH_SIZE)
		return -EINVAL;
	if (copy_from_user(address, user, bytes))
		return -EFAULT;
	return address->family == AF_UNIX ? 0 : -EINVAL;
}

int name_to_user(const struct socket_name *name_known, uint32_t none, uint64_t user,
		 uint64_t bytes_user)
{
	struct socket_name name = {.bytes = none, .address = {.family = AF_UNIX}};
	int room;

	if (name_known)
		name = *name_known;
	if (copy_from_user(&room, bytes_user, sizeof(room)))
		return -EFAULT;
	if (room < 0)
		return -EINVAL;
	if ((uint32_t)room > name.bytes)
		room = (int)name.bytes;
	if (copy_to_user(user, &name.address, (size_t)room) ||
	    copy_to_user(bytes_user, &name.bytes, sizeof(name.bytes)))
		return -EFAULT;
	return 0;
}

/* Adds the socket's inode to the tree; removes it again if the binding fails. */
static int bind_path(struct socket *socket, const struct socket_address *address)
{
	struct inode *inode = inode_new(S_IFSOCK | mode_masked(0777));
	struct path_end end;
	int err;

	if (!inode)
		return -ENOMEM;
	err = path_parent(NULL, address->path, 0, &end);
	if (!err) {
		err = entry_add(&end, inode, true);
		if (!err) {
			err = socket_bind_path(socket, address, inode);
			if (err)
				dir_unlink(dir_find(end.dir, end.name, end.length));
		}
		path_end_put(&end);
	}
	inode_put(inode);
	return err == -EEXIST ? -EADDRINUSE : err;
}

/* Copies a socket's name, which has at least a family. */
static int own_name(struct socket *socket, uint64_t user, uint64_t bytes_user)
{
	return name_to_user(socket ? socket->name : NULL, SOCKET_ADDRESS_PATH, user, bytes_user);
}

/* The operation of a call on a socket, and its further arguments. */
typedef int socket_fn(struct socket *socket, uint64_t user, uint64_t bytes);

static long on_socket(uint64_t fd, socket_fn *what, uint64_t user, uint64_t bytes)
{
	struct socket *socket;
	struct file *file;
	int err = socket_get(fd, &file, &socket);

	if (err)
		return err;
	err = what(socket, user, bytes);
	file_put(file);
	return err;
}

static int bind_name(struct socket *socket, uint64_t user, uint64_t length)
{
	struct socket_address address;
	uint32_t bytes = (uint32_t)length;
	int err = address_from_user(&address, user, bytes);

	if (err)
		return err;
	if (bytes == SOCKET_ADDRESS_PATH)
		return socket_bind_any(socket);
	return address.path[0] ? bind_path(socket, &address)
			       : socket_bind_abstract(socket, &address, bytes);
}

static int connect_name(struct socket *socket, uint64_t user, uint64_t length)
{
	struct socket_address address;
	uint32_t bytes = (uint32_t)length;
	bool datagrams = socket->type == SOCK_DGRAM;
	int err = address_from_user(&address, user, bytes);

	if (datagrams && err != -EFAULT && bytes >= SOCKET_ADDRESS_PATH && address.family == 0)
		return socket_direct(socket, NULL, 0); /* AF_UNSPEC */
	if (err)
		return err;
	if (bytes == SOCKET_ADDRESS_PATH)
		return -EINVAL;
	return datagrams ? socket_direct(socket, &address, bytes)
			 : socket_connect(socket, &address, bytes);
}

static int listen_for(struct socket *socket, uint64_t backlog, uint64_t unused)
{
	(void)unused;
	return socket_listen(socket, (unsigned)backlog);
}

static int peer_name(struct socket *socket, uint64_t user, uint64_t bytes_user)
{
	return socket->peer ? own_name(socket->peer, user, bytes_user) : -ENOTCONN;
}

long sys_bind(uint64_t fd, uint64_t user, uint64_t bytes)
{
	return on_socket(fd, bind_name, user, bytes);
}

long sys_connect(uint64_t fd, uint64_t user, uint64_t bytes)
{
	return on_socket(fd, connect_name, user, bytes);
}

long sys_listen(uint64_t fd, uint64_t backlog)
{
	return on_socket(fd, listen_for, backlog, 0);
}

long sys_getsockname(uint64_t fd, uint64_t user, uint64_t bytes)
{
	return on_socket(fd, own_name, user, bytes);
}

long sys_getpeername(uint64_t fd, uint64_t user, uint64_t bytes)
{
	return on_socket(fd, peer_name, user, bytes);
}

/* Opens a descriptor of the first waiting connection. */
static long accept_one(struct socket *socket, uint64_t user, uint64_t bytes_user, uint32_t flags)
{
	struct file *file;
	int err = fd_room();

	if (!err)
		err = socket_accept(socket, &file);
	if (err)
		return err;
	file->flags |= flags & O_NONBLOCK;
	if (user)
		err = own_name(socket_of(file)->peer, user, bytes_user);
	if (!err)
		err = fd_install(file, 0, !!(flags & O_CLOEXEC));
	if (err < 0)
		file_put(file);
	return err;
}

long sys_accept4(uint64_t fd, uint64_t user, uint64_t bytes_user, uint64_t flags)
{
	struct socket *socket;
	struct file *file;
	long result;

	if ((uint32_t)flags & ~(uint32_t)SOCK_FLAGS)
		return -EINVAL;
	result = socket_get(fd, &file, &socket);
	if (result)
		return result;
	result = accept_one(socket, user, bytes_user, (uint32_t)flags);
	file_put(file);
	return result;
}

long sys_accept(uint64_t fd, uint64_t user, uint64_t bytes_user)
{
	return sys_accept4(fd, user, bytes_user, 0);
}
