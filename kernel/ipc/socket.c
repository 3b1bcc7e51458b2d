/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets, their files, and receiving: a queue of messages in each direction, with descriptors;
 * unix(7). */
#include <asm/ioctls.h>
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/stat.h>
#include "kernel/base/assert.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/file/sigio.h"
#include "kernel/fs/inode.h"
#include "kernel/ipc/socket_name.h"
#include "kernel/ipc/socket_queue.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"

void message_files_free(struct message_files *files)
{
	for (unsigned i = 0; files && i < files->count; i++)
		file_put(files->file[i]);
	if (files && files->charged)
		account_give(files->uid, ACCOUNT_FILES, files->charged);
	kfree(files);
}

/* Frees it, its files, and its reference to a name. */
static void message_free(struct message *message)
{
	socket_name_put(message->name);
	message_files_free(message->files);
	kfree(message);
}

int socket_take_error(struct socket *socket)
{
	int err = socket->error;

	socket->error = 0;
	return err;
}

/* Receiving. */

/* Returns 1 if a message, or the end (0 bytes), can be received; else 0 or a negative errno. */
static int check_receive(struct socket *socket)
{
	if (socket->first)
		return 1;
	if (!socket->connected && !is_datagram(socket))
		return is_stream(socket) ? -EINVAL : -ENOTCONN;
	if (socket->error)
		return socket_take_error(socket);
	return socket->no_receive || (!socket->peer && !is_datagram(socket));
}

static int wait_for_message(struct socket *socket, const struct socket_message *with)
{
	int result = check_receive(socket), err = 0;
	struct waiter waiter;

	if (result)
		return result;
	if (!socket_may_sleep(socket, with->flags))
		return -EAGAIN;
	waitq_add(&socket->changes, &waiter);
	while (!(result = check_receive(socket)) && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return result ? result : err;
}

static void drop_first(struct socket *socket)
{
	struct message *message = socket->first;

	socket->first = message->next;
	if (!socket->first)
		socket->last = &socket->first;
	message_free(message);
}

/* Gives the message's files to a receiver that wants them. */
static void hand_over_files(struct message *message, struct socket_message *with, bool peek)
{
	if (!message->files || !with->files)
		return;
	*with->files = *message->files;
	with->files->charged = 0; /* they are with their receiver now */
	for (unsigned i = 0; i < with->files->count; i++)
		file_get(with->files->file[i]);
	if (!peek) {
		message_files_free(message->files);
		message->files = NULL;
	}
}

/* Removes the first message. */
static void finish_first(struct socket *socket)
{
	socket->queued -= message_cost(socket, socket->first->bytes);
	KASSERT(socket->count > 0);
	socket->count--;
	drop_first(socket);
	waitq_wake(&socket_rooms);
	if (socket->peer)
		waitq_wake(&socket->peer->changes);
}

/* Receives (a part of) the first message: bytes, or -EFAULT, after which a stream's message
 * stays. */
static long receive_one(struct socket *socket, struct cursor *to, size_t room,
			struct socket_message *with)
{
	struct message *message = socket->first;
	size_t left = message->bytes - message->taken, piece = left < room ? left : room;
	bool peek = with->flags & MSG_PEEK;

	if (copy_vectors(to, message->data + message->taken, piece, true)) {
		if (!is_stream(socket) && !peek)
			finish_first(socket);
		return -EFAULT;
	}
	with->cred = message->cred;
	socket_name_put(with->name);
	with->name = message->name;
	if (with->name)
		with->name->refs++;
	hand_over_files(message, with, peek);
	if (!is_stream(socket) && piece < left)
		with->flags |= MSG_TRUNC;
	if (peek)
		return (long)(is_stream(socket) ? piece : left);
	message->taken += piece;
	if (!is_stream(socket) || message->taken == message->bytes)
		finish_first(socket);
	return (long)(is_stream(socket) ? piece : left);
}

/* Receives from a stream: continues with the next message, except after one that carried
 * descriptors. */
static long receive_stream(struct socket *socket, struct cursor *to, size_t bytes,
			   struct socket_message *with)
{
	size_t done = 0;
	long result = 1;

	while (done < bytes) {
		bool wait = !done || with->flags & MSG_WAITALL, last;

		if (!socket->first && !wait)
			break;
		result = wait_for_message(socket, with);
		if (result <= 0 || !socket->first)
			break;
		last = socket->first->files || with->flags & MSG_PEEK;
		result = receive_one(socket, to, bytes - done, with);
		if (result < 0)
			break;
		done += (size_t)result;
		if (last)
			break;
	}
	return done || result >= 0 ? (long)done : result;
}

long socket_receive(struct socket *socket, const struct iovec *vectors, uint64_t count,
		    struct socket_message *with)
{
	struct cursor to = {vectors, count, 0};
	size_t bytes = vectors_bytes(vectors, count);
	bool whole = with->flags & MSG_TRUNC; /* asks for the datagram's true length */
	long result;

	with->flags &= ~(unsigned)MSG_TRUNC;
	if (is_stream(socket))
		return receive_stream(socket, &to, bytes, with);
	result = wait_for_message(socket, with);
	if (result <= 0 || !socket->first)
		return result < 0 ? result : 0;
	result = receive_one(socket, &to, bytes, with);
	return result > (long)bytes && !whole ? (long)bytes : result;
}

/* The file. */

static long socket_readv(struct file *file, const struct iovec *vectors, uint64_t count)
{
	struct socket_message with = {0};
	long result = socket_receive(file->priv, vectors, count, &with);

	socket_name_put(with.name);
	return result;
}

static long socket_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};

	(void)offset;
	return socket_readv(file, &vector, 1);
}

struct message_cred socket_own_peer_cred(void)
{
	const struct task *task = current_task();

	return (struct message_cred){task->tgid, task->cred.uid.effective,
				     task->cred.gid.effective};
}

static struct message_cred own_cred(void)
{
	const struct task *task = current_task();

	return (struct message_cred){task->tgid, task->cred.uid.real, task->cred.gid.real};
}

static long socket_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};
	struct socket_message with = {.cred = own_cred()};

	(void)offset;
	return socket_send(file->priv, &vector, 1, &with);
}

static long socket_writev(struct file *file, const struct iovec *vectors, uint64_t count)
{
	struct socket_message with = {.cred = own_cred()};

	return socket_send(file->priv, vectors, count, &with);
}

static unsigned socket_poll(struct file *file, struct poll_table *table)
{
	struct socket *socket = file->priv;
	bool gone = !is_datagram(socket) && !socket->peer && !socket->backlog.open;
	unsigned events = 0;

	poll_wait(table, &socket->changes);
	if (is_datagram(socket))
		poll_wait(table, &socket_rooms);
	if (socket->error)
		events |= POLLERR;
	if (gone || (socket->no_receive && socket->no_send))
		events |= POLLHUP;
	if ((gone && socket->connected) || socket->no_receive)
		events |= POLLRDHUP | POLLIN | POLLRDNORM;
	if (socket->first || socket->backlog.count)
		events |= POLLIN | POLLRDNORM;
	if (!socket->backlog.open && (!socket->peer || (socket_has_room(socket, socket->peer) &&
							socket->peer->queued <= SOCKET_BYTES / 4)))
		events |= POLLOUT | POLLWRNORM | POLLWRBAND;
	return events;
}

static long socket_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	const struct socket *socket = file->priv;
	int bytes = 0;

	if (command == TIOCOUTQ)
		bytes = socket->peer ? (int)socket->peer->queued : 0;
	else if (command != FIONREAD)
		return -ENOTTY;
	else if (!is_stream(socket))
		bytes = socket->first ? (int)socket->first->bytes : 0;
	else
		for (const struct message *m = socket->first; m; m = m->next)
			bytes += (int)(m->bytes - m->taken);
	return copy_to_user(argument, &bytes, sizeof(bytes));
}

void socket_shutdown(struct socket *socket, unsigned how)
{
	bool receive = how != 1, send = how != 0;

	socket->no_receive |= receive;
	socket->no_send |= send;
	if (socket->peer && !is_datagram(socket)) {
		socket->peer->no_send |= receive;
		socket->peer->no_receive |= send;
	}
	waitq_wake(&socket->changes);
	waitq_wake(&socket_rooms);
	if (socket->peer)
		waitq_wake(&socket->peer->changes);
}

void socket_drop_messages(struct socket *socket)
{
	while (socket->first)
		drop_first(socket);
	socket->queued = 0;
	socket->count = 0;
}

void socket_set_peer(struct socket *socket, struct socket *peer)
{
	if (socket->peer)
		list_remove(&socket->follows);
	socket->peer = peer;
	if (peer)
		list_add_tail(&peer->followers, &socket->follows);
}

static void socket_release(struct file *file)
{
	struct socket *socket = file->priv;

	while (!list_empty(&socket->followers)) {
		struct socket *other = list_first(&socket->followers, struct socket, follows);

		if (!is_datagram(socket) && socket->first)
			other->error = -ECONNRESET;
		socket_set_peer(other, NULL);
		waitq_wake(&other->changes);
		file_send_sigio(other->file, POLLIN | POLLHUP, -1);
	}
	socket_set_peer(socket, NULL);
	waitq_wake(&socket_rooms);
	socket_drop_messages(socket);
	socket_name_drop(socket);
	kfree(socket);
}

static const struct file_ops socket_ops = {
    .read = socket_read,
    .write = socket_write,
    .readv = socket_readv,
    .writev = socket_writev,
    .ioctl = socket_ioctl,
    .poll = socket_poll,
    .release = socket_release,
};

struct socket *socket_of(const struct file *file)
{
	return file->ops == &socket_ops ? file->priv : NULL;
}

int socket_open(int type, uint32_t flags, struct file **file)
{
	struct socket *socket = kalloc(sizeof(*socket));
	struct inode *inode = socket ? inode_new(S_IFSOCK | 0777) : NULL;

	*file = inode ? file_new(&socket_ops, socket, O_RDWR | flags) : NULL;
	if (!*file) {
		if (inode)
			inode_put(inode);
		kfree(socket);
		return -ENOMEM;
	}
	inode->nlink = 1;
	(*file)->inode = inode;
	*socket = (struct socket){.type = type, .file = *file, .last = &socket->first};
	socket->peer_cred = (struct message_cred){0, -1u, -1u};
	waitq_init(&socket->changes);
	list_init(&socket->backlog.waiting);
	list_init(&socket->followers);
	return 0;
}

void socket_join(struct socket *one, struct socket *other)
{
	socket_set_peer(one, other);
	socket_set_peer(other, one);
	one->connected = other->connected = true;
}

int socket_pair_open(int type, uint32_t flags, struct file *ends[2])
{
	struct socket *one, *other;
	int err = socket_open(type, flags, &ends[0]);

	if (err)
		return err;
	err = socket_open(type, flags, &ends[1]);
	if (err) {
		file_put(ends[0]);
		return err;
	}
	one = ends[0]->priv;
	other = ends[1]->priv;
	one->peer_cred = other->peer_cred = socket_own_peer_cred();
	socket_join(one, other);
	return 0;
}
