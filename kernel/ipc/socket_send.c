/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending through sockets: to the peer, or to a datagram's address; unix(7). */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "kernel/file/file.h"
#include "kernel/file/sigio.h"
#include "kernel/ipc/socket_name.h"
#include "kernel/ipc/socket_queue.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"

#define STREAM_PIECE  36544 /* bytes of one message of a stream, as Linux's */
#define DATAGRAMS_MAX 10    /* one more may wait: net.unix.max_dgram_qlen */

struct waitq socket_rooms = {{&socket_rooms.waiters, &socket_rooms.waiters}};

/* Linux's message descriptor, and the trailer after a message's first bytes. */
#define HEADER_BYTES  256
#define TRAILER_BYTES 320
/* First contiguous bytes; the rest is in pages, at most PAGES_MAX bytes. */
#define STREAM_FIRST   (4096 - TRAILER_BYTES)
#define DATAGRAM_FIRST (16384 - TRAILER_BYTES)
#define PAGES_MAX      (17 * PAGE_SIZE)

size_t message_cost(const struct socket *socket, size_t bytes)
{
	size_t most = is_stream(socket) ? STREAM_FIRST : DATAGRAM_FIRST, block = 512;
	size_t paged = bytes > most ? ((bytes - most + PAGE_SIZE - 1) & -PAGE_SIZE) : 0, first;

	if (paged > PAGES_MAX)
		paged = PAGES_MAX;
	first = bytes > paged ? bytes - paged : 0;
	while (block < ((first + 63) & ~63ul) + TRAILER_BYTES)
		block *= 2;
	return HEADER_BYTES + block + paged;
}

/* As on Linux, a queue below its limit takes a whole message, so it may end up above the limit.
 * Datagrams from sockets that are not the peer are limited to a few. */
bool socket_has_room(const struct socket *from, const struct socket *to)
{
	bool stranger = is_datagram(to) && to != from && to->peer != from;

	if (stranger && to->count > DATAGRAMS_MAX)
		return false;
	return to->queued < SOCKET_BYTES;
}

/* The peer is closed. A datagram socket gets the error once, and the peer's messages are lost. */
static int forget_peer(struct socket *socket)
{
	if (!is_datagram(socket))
		return -EPIPE;
	socket->connected = false;
	socket_drop_messages(socket);
	return -ECONNREFUSED;
}

/* Finds the receiver, valid until the next sleep: 0 or a negative errno. */
static int find_receiver(struct socket *socket, const struct socket_message *with,
			 struct socket **to)
{
	int err;

	if (with->to && is_datagram(socket)) {
		err = socket_find(with->to, with->to_bytes, SOCK_DGRAM, to);
		if (err)
			return err;
	} else if (!socket->connected) {
		return -ENOTCONN;
	} else if (socket->no_send) {
		return -EPIPE;
	} else if (!socket->peer) {
		return forget_peer(socket);
	} else {
		*to = socket->peer;
	}
	return socket_may_send(socket, *to) ? 0 : -EPERM;
}

/* Checks that a message can be sent now: 0, -EAGAIN if the receiver is full, or another errno. */
static int check_send(struct socket *socket, const struct socket_message *with, struct socket **to)
{
	int err = find_receiver(socket, with, to);

	if (err)
		return err;
	if (socket->no_send || (*to)->no_receive)
		return -EPIPE;
	return socket_has_room(socket, *to) ? 0 : -EAGAIN;
}

bool socket_may_sleep(const struct socket *socket, unsigned flags)
{
	return !(flags & MSG_DONTWAIT) && !(socket->file->flags & O_NONBLOCK);
}

/* Returns the queue of senders: a connection has one, all datagram sockets share one. */
static struct waitq *room_of(struct socket *socket)
{
	return is_datagram(socket) ? &socket_rooms : &socket->changes;
}

static int wait_for_room(struct socket *socket, const struct socket_message *with)
{
	struct waiter waiter;
	struct socket *to;
	int err;

	for (;;) {
		err = check_send(socket, with, &to);
		if (err != -EAGAIN || !socket_may_sleep(socket, with->flags))
			return err;
		waitq_add(room_of(socket), &waiter);
		err = waitq_sleep(WAITQ_FOREVER);
		waitq_remove(&waiter);
		if (err)
			return err;
	}
}

static void enqueue(struct socket *to, struct message *message)
{
	*to->last = message;
	to->last = &message->next;
	to->queued += message_cost(to, message->bytes);
	to->count++;
	waitq_wake(&to->changes);
	file_send_sigio(to->file, POLLIN | POLLRDNORM, -1);
}

/* Sends one message of `bytes` from the user's vectors: 0 or a negative errno. */
static int send_one(struct socket *socket, struct cursor *from, size_t bytes,
		    struct socket_message *with)
{
	int err = wait_for_room(socket, with);
	struct message *message = err ? NULL : kalloc(sizeof(*message) + bytes);
	struct socket *to = NULL;

	if (!message)
		return err ? err : -ENOBUFS;
	message->bytes = bytes;
	message->cred = with->cred;
	err = copy_vectors(from, message->data, bytes, false);
	if (!err)
		err = check_send(socket, with, &to); /* the copy may have taken its time */
	if (err) {
		kfree(message);
		return err;
	}
	message->name = socket_name_get(socket);
	message->files = with->files;
	with->files = NULL;
	enqueue(to, message);
	return 0;
}

/* Sends a stream in pieces: 0 or a negative errno; `*done`: bytes sent. */
static int send_stream(struct socket *socket, struct cursor *from, size_t bytes,
		       struct socket_message *with, size_t *done)
{
	struct socket *to;
	int err = 0;

	if (!bytes && with->files) /* nothing carries them */
		return check_send(socket, with, &to) == -EPIPE ? -EPIPE : 0;
	if (!bytes && !socket->connected)
		return -ENOTCONN;
	while (!err && *done < bytes) {
		size_t piece = bytes - *done < STREAM_PIECE ? bytes - *done : STREAM_PIECE;

		err = send_one(socket, from, piece, with);
		*done += err ? 0 : piece;
	}
	return err;
}

long socket_send(struct socket *socket, const struct iovec *vectors, uint64_t count,
		 struct socket_message *with)
{
	struct cursor from = {vectors, count, 0};
	size_t bytes = vectors_bytes(vectors, count), done = 0;
	int err = socket_take_error(socket);

	if (!is_stream(socket)) {
		if (bytes > SOCKET_BYTES - 32)
			return -EMSGSIZE;
		err = err ? err : send_one(socket, &from, bytes, with);
		return err ? err : (long)bytes;
	}
	if (!err)
		err = send_stream(socket, &from, bytes, with, &done);
	if (err == -EPIPE && !done && !(with->flags & MSG_NOSIGNAL))
		signal_send(current_task(), SIGPIPE);
	return done || !err ? (long)done : err;
}
