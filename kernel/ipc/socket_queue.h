/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that wait to be received, for who sends and receives. Context of all: task. */
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

/* What a message of so many bytes takes of SOCKET_BYTES, as Linux counts it: more than its bytes.
 */
size_t message_cost(const struct socket *socket, size_t bytes);
/* The error that waits to be told, and is told by this call: 0 or a negative errno. */
int socket_take_error(struct socket *socket);

/* Whether the sender may queue one more there. */
bool socket_has_room(const struct socket *from, const struct socket *to);
/* Who waits for room in whatever queue of datagrams. */
extern struct waitq socket_rooms;

#endif
