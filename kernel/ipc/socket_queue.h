/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of messages between sending and receiving sockets. Context of all: task. */
#ifndef KERNEL_SOCKET_QUEUE_H
#define KERNEL_SOCKET_QUEUE_H

#include "kernel/ipc/socket.h"
#include "kernel/mem/cursor.h"

struct message {
	struct message *next;
	size_t bytes, taken;
	struct message_files *files; /* NULL: none */
	struct socket_name *name;    /* its sender's, referenced; NULL: it has none */
	struct message_cred cred;
	char data[];
};

static inline bool is_stream(const struct socket *socket)
{
	return socket->type == SOCK_STREAM;
}

static inline bool is_datagram(const struct socket *socket)
{
	return socket->type == SOCK_DGRAM;
}

/* Returns how much of SOCKET_BYTES a message of `bytes` bytes uses, as Linux counts it: more than
 * its bytes. */
size_t message_cost(const struct socket *socket, size_t bytes);
/* Returns and clears the pending error: 0 or a negative errno. */
int socket_take_error(struct socket *socket);

/* True if the sender may queue one more message there. */
bool socket_has_room(const struct socket *from, const struct socket *to);
/* Senders that wait for room in any datagram queue. */
extern struct waitq socket_rooms;

#endif
