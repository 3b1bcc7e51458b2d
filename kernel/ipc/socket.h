/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of this machine: unix(7). Context of all: task. */
#ifndef KERNEL_SOCKET_H
#define KERNEL_SOCKET_H

#include <linux/uio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/base/tree.h"
#include "kernel/task/waitq.h"

struct file;
struct inode;
struct socket_address;
struct socket_name;

#define AF_UNIX 1

/* Linux's constants, which its headers leave to the C library. */
enum { SOCK_STREAM = 1, SOCK_DGRAM = 2, SOCK_RAW = 3, SOCK_SEQPACKET = 5 };

#define MSG_PEEK         0x2
#define MSG_CTRUNC       0x8
#define MSG_TRUNC        0x20
#define MSG_DONTWAIT     0x40
#define MSG_WAITALL      0x100
#define MSG_NOSIGNAL     0x4000
#define MSG_CMSG_CLOEXEC 0x40000000

#define SOCKET_BYTES 212992 /* capacity of one direction, as Linux's default */
#define SOCKET_FILES 253    /* descriptors in one message, as Linux */

struct message_cred {
	int pid;
	uint32_t uid, gid;
};

/* Descriptors in flight, each file referenced. */
struct message_files {
	unsigned count;
	unsigned charged; /* of them, on the account of `uid` */
	uint32_t uid;
	struct file *file[SOCKET_FILES];
};

/* The queue of connections that wait for accept(2). */
struct backlog {
	bool open;     /* listen(2) was called */
	unsigned most; /* one more may wait */
	unsigned count;
	struct list waiting; /* by `waits`, each with its file's reference and a file on account */
};

struct socket {
	int type;
	bool connected;                 /* it has a peer, or had */
	struct socket *peer;            /* whom it sends to; NULL: closed, or never connected */
	struct list followers, follows; /* those whose peer it is; among its peer's */
	struct file *file;
	struct message *first, **last; /* messages to be received */
	size_t queued;                 /* bytes of it, as message_cost() counts them */
	unsigned count;                /* messages of it */
	bool no_receive, no_send;      /* shutdown, by either side */
	bool pass_cred;                /* SO_PASSCRED */
	int error;                     /* a negative errno that the next call reports, or 0 */
	struct message_cred peer_cred; /* of a listener: its own, as listen(2) saw it */
	struct waitq changes;

	struct socket_name *name; /* NULL: none; socket_name.c */
	struct inode *bound;      /* its inode in the tree, referenced; or NULL */
	struct tree_node node;    /* among abstract names */
	struct backlog backlog;
	struct list waits;  /* in a listener's backlog */
	uint32_t waits_uid; /* on whose account */
};

/* Opens an unconnected socket as a file with the status flags: 0 or -ENOMEM. */
int socket_open(int type, uint32_t flags, struct file **file);
/* Connects two sockets without peers. */
void socket_join(struct socket *one, struct socket *other);
/* Sets the socket that messages go to; NULL: none. */
void socket_set_peer(struct socket *socket, struct socket *peer);
/* Frees the messages to be received. */
void socket_drop_messages(struct socket *socket);
/* Returns the credentials that a peer of the current task sees. */
struct message_cred socket_own_peer_cred(void);
/* Opens two connected sockets with the status flags: 0 or -ENOMEM. */
int socket_pair_open(int type, uint32_t flags, struct file *ends[2]);
/* Returns the socket of a file, or NULL. */
struct socket *socket_of(const struct file *file);

/* Arguments of sendmsg and recvmsg besides the bytes. */
struct socket_message {
	unsigned flags; /* MSG_*; answers of a receiver: MSG_TRUNC */
	struct message_files
	    *files; /* sender: taken over when sent; receiver: the caller's, or NULL */
	struct message_cred cred;
	const struct socket_address *to; /* sender of a datagram: to whom; NULL: the peer */
	uint32_t to_bytes;
	struct socket_name *name; /* receiver: the sender's, referenced; NULL: it has none */
};

/* True unless the socket or MSG_DONTWAIT in `flags` forbids waiting. */
bool socket_may_sleep(const struct socket *socket, unsigned flags);

/* Send and receive the bytes of user memory in the vectors (checked against USER_END). Return bytes
 * or a negative errno. */
long socket_send(struct socket *socket, const struct iovec *vectors, uint64_t count,
		 struct socket_message *with);
long socket_receive(struct socket *socket, const struct iovec *vectors, uint64_t count,
		    struct socket_message *with);
/* `how`: 0 receiving, 1 sending, 2 both. */
void socket_shutdown(struct socket *socket, unsigned how);
/* Drops the references. */
void message_files_free(struct message_files *files);

#endif
