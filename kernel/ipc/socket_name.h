/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of sockets, and connections by name: bind(2), listen(2), connect(2), accept(2), unix(7).
 * Context of all: task. */
#ifndef KERNEL_SOCKET_NAME_H
#define KERNEL_SOCKET_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct file;
struct inode;
struct socket;

#define SOCKET_PATH_SIZE   108  /* of struct sockaddr_un */
#define SOCKET_BACKLOG_MAX 4096 /* net.core.somaxconn */

/* struct sockaddr_un, with room for the end of the longest path. */
struct socket_address {
	uint16_t family;
	char path[SOCKET_PATH_SIZE + 1]; /* a path; or abstract: begins with NUL, any bytes */
};

#define SOCKET_ADDRESS_PATH sizeof(uint16_t) /* where the path begins */

/* The name of a socket; accepted sockets share the listener's. */
struct socket_name {
	uint32_t refs;
	uint32_t bytes; /* as getsockname(2) returns them */
	struct socket_address address;
};

/* Binds the socket to an abstract name of `bytes` bytes, including the family: 0, -EINVAL (it has a
 * name), -EADDRINUSE, -ENOMEM. */
int socket_bind_abstract(struct socket *socket, const struct socket_address *address,
			 uint32_t bytes);
/* As socket_bind_abstract(), with an unused name of five hexadecimal digits. */
int socket_bind_any(struct socket *socket);
/* As socket_bind_abstract(), with a path; `inode` is its node in the tree: 0, -EINVAL, -ENOMEM. */
int socket_bind_path(struct socket *socket, const struct socket_address *address,
		     struct inode *inode);

/* Listens for connections; the backlog holds one more than `backlog`: 0, -EINVAL, -EOPNOTSUPP. */
int socket_listen(struct socket *socket, unsigned backlog);
/* Connects to the named socket: 0, -ECONNREFUSED, -EPROTOTYPE, -EISCONN, -EINVAL, -EAGAIN (its
 * backlog is full), -EINTR, -ENOMEM, -ENFILE (too many pending connections of the user), or an
 * error of the path lookup. */
int socket_connect(struct socket *socket, const struct socket_address *address, uint32_t bytes);
/* Returns the first waiting connection, as an open file with a reference: 0, -EAGAIN, -EINTR,
 * -EINVAL, -EOPNOTSUPP. */
int socket_accept(struct socket *socket, struct file **file);

/* Finds the socket of a type by its address; the result is valid until the next sleep. Returns 0,
 * -ECONNREFUSED, -EPROTOTYPE, or an error of the path lookup. */
int socket_find(const struct socket_address *address, uint32_t bytes, int type,
		struct socket **socket);
/* True if the receiver accepts the sender's messages: datagrams from any sender, unless it is
 * connected. */
bool socket_may_send(const struct socket *from, const struct socket *to);
/* Connects a datagram socket to an address (NULL: disconnects it): 0, -EPERM (the target is
 * connected to another socket), or as socket_find(). */
int socket_direct(struct socket *socket, const struct socket_address *address, uint32_t bytes);

/* Returns the socket's name with a reference, or NULL. */
struct socket_name *socket_name_get(const struct socket *socket);
/* Drops the reference; NULL: does nothing. */
void socket_name_put(struct socket_name *name);
/* The socket is closed: drops its name and the connections that wait for accept(2). */
void socket_name_drop(struct socket *socket);

#endif
