/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that wait to be received, for who sends and receives. Context of all: task. */
#ifndef KERNEL_SOCKET_QUEUE_H
#define KERNEL_SOCKET_QUEUE_H

#include "kernel/ipc/socket.h"

struct message {
	struct message *next;
	size_t bytes, taken;
	struct message_files *files; /* NULL: none */
	struct socket_name *name;    /* its sender's, referenced; NULL: it has none */
	struct message_cred cred;
	char data[];
};

/* A place in the user's vectors. */
struct cursor {
	const struct iovec *vectors;
	uint64_t count;
	size_t done; /* bytes of the first vector */
};

static inline size_t vectors_bytes(const struct iovec *vectors, uint64_t count)
{
	size_t bytes = 0;

	for (uint64_t i = 0; i < count; i++)
		bytes += vectors[i].iov_len;
	return bytes;
}

static inline bool is_stream(const struct socket *socket)
{
	return socket->type == SOCK_STREAM;
}

static inline bool is_datagram(const struct socket *socket)
{
	return socket->type == SOCK_DGRAM;
}

/* Copies between kernel memory and the user's vectors. Returns 0 or -EFAULT. */
int copy_vectors(struct cursor *at, char *kernel, size_t bytes, bool to_user);
/* The error that waits to be told, which is told with that: 0 or a negative errno. */
int socket_take_error(struct socket *socket);

/* Whether so many bytes of the sender's fit after what waits there. */
bool socket_has_room(const struct socket *from, const struct socket *to, size_t bytes);
/* Who waits for room in whatever queue of datagrams. */
extern struct waitq socket_rooms;

#endif
