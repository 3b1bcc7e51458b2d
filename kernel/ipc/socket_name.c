/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of sockets, and connections by name: a tree of abstract names; a path's inode leads to its
 * socket; unix(7). */
#include <asm/poll.h>
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/file/sigio.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/ipc/socket_name.h"
#include "kernel/ipc/socket_queue.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"

static bool name_before(const struct tree_node *a, const struct tree_node *b);

static struct tree abstract = {.before = name_before};
static struct waitq backlogs = {{&backlogs.waiters, &backlogs.waiters}}; /* one has room, or went */
static uint32_t any_next; /* the next name that the kernel chooses */

static struct socket *of_node(const struct tree_node *node)
{
	return container_of(node, struct socket, node);
}

/* Orders names by the socket's type, length and bytes. */
static int compare(const struct socket *socket, int type, const struct socket_address *address,
		   uint32_t bytes)
{
	if (socket->type != type)
		return socket->type < type ? -1 : 1;
	if (socket->name->bytes != bytes)
		return socket->name->bytes < bytes ? -1 : 1;
	return memcmp(&socket->name->address, address, bytes);
}

static bool name_before(const struct tree_node *a, const struct tree_node *b)
{
	const struct socket *other = of_node(b);

	return compare(of_node(a), other->type, &other->name->address, other->name->bytes) < 0;
}

/* Each type has its own name space, as on Linux. */
static struct socket *find_abstract(const struct socket_address *address, uint32_t bytes, int type)
{
	struct tree_node *node = abstract.root;

	while (node) {
		int order = compare(of_node(node), type, address, bytes);

		if (!order)
			return of_node(node);
		node = order < 0 ? node->right : node->left;
	}
	return NULL;
}

static struct socket_name *name_make(const struct socket_address *address, uint32_t bytes)
{
	struct socket_name *name = kalloc(sizeof(*name));

	if (name) {
		name->refs = 1;
		name->bytes = bytes;
		memcpy(&name->address, address, bytes);
	}
	return name;
}

int socket_bind_abstract(struct socket *socket, const struct socket_address *address,
			 uint32_t bytes)
{
	if (socket->name)
		return -EINVAL;
	if (find_abstract(address, bytes, socket->type))
		return -EADDRINUSE;
	socket->name = name_make(address, bytes);
	if (!socket->name)
		return -ENOMEM;
	tree_insert(&abstract, &socket->node);
	return 0;
}

int socket_bind_any(struct socket *socket)
{
	struct socket_address address = {.family = AF_UNIX};
	int err = -EADDRINUSE;

	if (socket->name)
		return 0; /* as Linux */
	for (unsigned tries = 0; err == -EADDRINUSE && tries < 1u << 20; tries++, any_next++) {
		for (unsigned i = 0; i < 5; i++)
			address.path[1 + i] = "0123456789abcdef"[any_next >> 4 * (4 - i) & 0xf];
		err = socket_bind_abstract(socket, &address, SOCKET_ADDRESS_PATH + 6);
	}
	return err == -EADDRINUSE ? -ENOSPC : err;
}

int socket_bind_path(struct socket *socket, const struct socket_address *address,
		     struct inode *inode)
{
	uint32_t bytes = SOCKET_ADDRESS_PATH + (uint32_t)strlen(address->path) + 1;

	if (socket->name)
		return -EINVAL;
	socket->name = name_make(address, bytes);
	if (!socket->name)
		return -ENOMEM;
	inode->priv = (uint64_t)socket;
	inode_get(inode);
	socket->bound = inode;
	return 0;
}

/* Removes the first connection from the backlog. */
static struct file *take_waiting(struct socket *listener)
{
	struct socket *socket = list_first(&listener->backlog.waiting, struct socket, waits);

	list_remove(&socket->waits);
	KASSERT(listener->backlog.count > 0);
	listener->backlog.count--;
	account_give(socket->waits_uid, ACCOUNT_FILES, 1);
	waitq_wake(&backlogs);
	return socket->file;
}

struct socket_name *socket_name_get(const struct socket *socket)
{
	if (socket->name)
		socket->name->refs++;
	return socket->name;
}

void socket_name_put(struct socket_name *name)
{
	KASSERT(!name || name->refs > 0);
	if (name && !--name->refs)
		kfree(name);
}

void socket_name_drop(struct socket *socket)
{
	if (tree_holds(&socket->node))
		tree_remove(&abstract, &socket->node);
	if (socket->bound) {
		socket->bound->priv = 0;
		inode_put(socket->bound);
	}
	socket_name_put(socket->name);
	while (socket->backlog.count) {
		struct file *file = take_waiting(socket);
		struct socket *waiting = socket_of(file);

		if (waiting->peer)
			waiting->peer->error = -ECONNRESET;
		file_put(file);
	}
	waitq_wake(&backlogs);
}

int socket_listen(struct socket *socket, unsigned backlog)
{
	if (is_datagram(socket))
		return -EOPNOTSUPP;
	if (!socket->name || socket->connected)
		return -EINVAL;
	socket->backlog.open = true;
	socket->backlog.most = backlog < SOCKET_BACKLOG_MAX ? backlog : SOCKET_BACKLOG_MAX;
	socket->peer_cred = socket_own_peer_cred();
	waitq_wake(&backlogs);
	return 0;
}

/* Finds the socket bound to the path: 0 or a negative errno. A socket file of the host has none. */
static int find_path(const char *path, struct socket **socket)
{
	struct inode *inode;
	int err = path_lookup(NULL, path, 0, &inode);

	if (err)
		return err;
	err = inode_permission(inode, MAY_WRITE);
	*socket = S_ISSOCK(inode->mode) && !inode->ops ? (struct socket *)inode->priv : NULL;
	inode_put(inode);
	return err ? err : *socket ? 0 : -ECONNREFUSED;
}

int socket_find(const struct socket_address *address, uint32_t bytes, int type,
		struct socket **socket)
{
	int err;

	if (!address->path[0]) {
		*socket = find_abstract(address, bytes, type);
		return *socket ? 0 : -ECONNREFUSED;
	}
	err = find_path(address->path, socket);
	return err ? err : (*socket)->type == type ? 0 : -EPROTOTYPE;
}

bool socket_may_send(const struct socket *from, const struct socket *to)
{
	return !to->peer || to->peer == from;
}

/* The socket is no longer the peer's: its queued messages are lost, and the other side gets an
 * error. */
static void left_peer(struct socket *socket, struct socket *old)
{
	if (!socket->first)
		return;
	socket_drop_messages(socket);
	waitq_wake(&socket_rooms);
	if (old->peer == socket) {
		old->error = -ECONNRESET;
		waitq_wake(&old->changes);
	}
}

int socket_direct(struct socket *socket, const struct socket_address *address, uint32_t bytes)
{
	struct socket *to = NULL, *old = socket->peer;
	int err = address ? socket_find(address, bytes, SOCK_DGRAM, &to) : 0;

	if (err)
		return err;
	if (to && !socket_may_send(socket, to))
		return -EPERM;
	socket_set_peer(socket, to);
	socket->connected = to;
	if (old && old != to)
		left_peer(socket, old);
	return 0;
}

/* Finds a listener with room for one more connection: 0, -EAGAIN or another negative errno. */
static int find_listener(const struct socket *socket, const struct socket_address *address,
			 uint32_t bytes, struct socket **listener)
{
	int err = socket_find(address, bytes, socket->type, listener);

	if (err)
		return err;
	if (!(*listener)->backlog.open || (*listener)->no_receive)
		return -ECONNREFUSED;
	return (*listener)->backlog.count > (*listener)->backlog.most ? -EAGAIN : 0;
}

/* As find_listener(), but waits for room. The result is valid until the next sleep. */
static int wait_for_listener(const struct socket *socket, const struct socket_address *address,
			     uint32_t bytes, struct socket **listener)
{
	struct waiter waiter;
	int err;

	for (;;) {
		err = find_listener(socket, address, bytes, listener);
		if (err != -EAGAIN || !socket_may_sleep(socket, 0))
			return err;
		waitq_add(&backlogs, &waiter);
		err = waitq_sleep(WAITQ_FOREVER);
		waitq_remove(&waiter);
		if (err)
			return err;
	}
}

/* Charges a waiting connection to the connecting user, as descriptors in flight are. */
static bool charge_waiting(uint32_t uid)
{
	bool is_free = capable(CAP_SYS_RESOURCE) || capable(CAP_SYS_ADMIN);
	uint64_t limit = current_task()->process->limits[RLIMIT_NOFILE][0];

	return account_take(uid, ACCOUNT_FILES, 1, is_free ? ACCOUNT_FREE : limit);
}

/* Connects `socket` to the listener's new socket `file`, whose reference the backlog takes. */
static void connect_to(struct socket *listener, struct socket *socket, struct file *file,
		       uint32_t uid)
{
	struct socket *accepted = socket_of(file);

	accepted->waits_uid = uid;
	accepted->peer_cred = socket_own_peer_cred();
	accepted->name = listener->name;
	accepted->name->refs++;
	socket->peer_cred = listener->peer_cred;
	socket_join(accepted, socket);
	list_add_tail(&listener->backlog.waiting, &accepted->waits);
	listener->backlog.count++;
	waitq_wake(&listener->changes);
	file_send_sigio(listener->file, POLLIN | POLLRDNORM, -1);
}

/* The new socket is made before the search for the listener, so that no other task runs in
 * between. */
int socket_connect(struct socket *socket, const struct socket_address *address, uint32_t bytes)
{
	uint32_t uid = current_task()->cred.uid.real;
	struct socket *listener = NULL;
	struct file *file;
	int err = socket_open(socket->type, 0, &file);

	if (err)
		return err;
	err = wait_for_listener(socket, address, bytes, &listener);
	if (!err && socket->connected)
		err = -EISCONN;
	if (!err && socket->backlog.open)
		err = -EINVAL;
	if (!err && !charge_waiting(uid))
		err = -ENFILE;
	if (err)
		file_put(file);
	else
		connect_to(listener, socket, file, uid);
	return err;
}

/* Returns 1: a connection waits; 0: not yet; -EINVAL: there can be none. */
static int check_accept(const struct socket *socket)
{
	if (socket->backlog.count)
		return 1;
	return socket->no_receive ? -EINVAL : 0;
}

int socket_accept(struct socket *socket, struct file **file)
{
	int result, err = 0;
	struct waiter waiter;

	if (is_datagram(socket))
		return -EOPNOTSUPP;
	if (!socket->backlog.open)
		return -EINVAL;
	result = check_accept(socket);
	if (!result && !socket_may_sleep(socket, 0))
		return -EAGAIN;
	if (!result) {
		waitq_add(&socket->changes, &waiter);
		while (!(result = check_accept(socket)) && !err)
			err = waitq_sleep(WAITQ_FOREVER);
		waitq_remove(&waiter);
	}
	if (result <= 0)
		return result ? result : err;
	*file = take_waiting(socket);
	return 0;
}
