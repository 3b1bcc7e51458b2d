/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets: socket(2), socketpair(2), sending and receiving. There is no network. */
#include <asm/socket.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include "api/calls.h"
#include "api/file/vectors.h"
#include "api/ipc/socket.h"
#include "api/time/clock.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/base/string.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"

#define SOCK_TYPES    11 /* SOCK_MAX */
#define SCM_RIGHTS    1
#define SCM_CRED      2
#define CONTROL_BYTES 4096 /* of one message */

/* The arguments of sendmsg. */
struct user_message {
	uint64_t name;
	int name_bytes, pad;
	uint64_t vectors, count;
	uint64_t control, control_bytes;
	uint32_t flags, pad2;
};
_Static_assert(sizeof(struct user_message) == 56, "struct msghdr");

struct control_header {
	uint64_t bytes; /* with the header */
	int level, type;
};

static uint64_t control_align(uint64_t bytes)
{
	return (bytes + 7) & -8ul;
}

int socket_get(uint64_t fd, struct file **file, struct socket **socket)
{
	*file = fd_get_open((int)fd);
	if (!*file)
		return -EBADF;
	*socket = socket_of(*file);
	if (*socket)
		return 0;
	file_put(*file);
	return -ENOTSOCK;
}

/* Checks the arguments of socket() and socketpair(): the type, or a negative errno. There is no
 * network: as on a Linux built without it. */
static int check_type(uint64_t family, uint64_t type64, uint64_t protocol)
{
	int type = (int)(type64 & 0xf);

	if (type64 & ~(uint64_t)(0xf | SOCK_FLAGS) || type >= SOCK_TYPES)
		return -EINVAL;
	if (family != AF_UNIX)
		return -EAFNOSUPPORT;
	if ((int)protocol && (int)protocol != AF_UNIX)
		return -EPROTONOSUPPORT;
	if (type == SOCK_RAW)
		type = SOCK_DGRAM; /* as Linux */
	if (type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	return type;
}

long sys_socket(uint64_t family, uint64_t type64, uint64_t protocol)
{
	uint32_t flags = (uint32_t)type64 & SOCK_FLAGS;
	int type = check_type(family, type64, protocol), err, fd;
	struct file *file;

	if (type < 0)
		return type;
	err = socket_open(type, flags & O_NONBLOCK, &file);
	if (err)
		return err;
	fd = fd_install(file, 0, !!(flags & O_CLOEXEC));
	if (fd < 0)
		file_put(file);
	return fd;
}

long sys_socketpair(uint64_t family, uint64_t type64, uint64_t protocol, uint64_t user)
{
	uint32_t flags = (uint32_t)type64 & SOCK_FLAGS;
	int type = check_type(family, type64, protocol), err;
	struct file *ends[2];

	if (type < 0)
		return type;
	err = socket_pair_open(type, flags & O_NONBLOCK, ends);
	return err ? err : fd_pair_to_user(ends, !!(flags & O_CLOEXEC), user);
}

/* Checks the address of a message: 0 (`with->to`; connected sockets use the peer), or a negative
 * errno. */
static int take_address(const struct socket *socket, struct socket_address *address, uint64_t user,
			uint64_t bytes, struct socket_message *with)
{
	int err;

	if (!user || !bytes || socket->type == SOCK_SEQPACKET)
		return 0;
	if (socket->type == SOCK_STREAM)
		return socket->connected ? -EISCONN : -EOPNOTSUPP;
	err = address_from_user(address, user, (uint32_t)bytes);
	if (err)
		return err;
	with->to = address;
	with->to_bytes = (uint32_t)bytes;
	return with->to_bytes == SOCKET_ADDRESS_PATH ? -EINVAL : 0;
}

/* Control messages to send. */

/* RLIMIT_NOFILE also limits descriptors in flight; otherwise a user could keep any number of files
 * open. */
static bool charge_file(struct message_files *files)
{
	bool is_free = capable(CAP_SYS_RESOURCE) || capable(CAP_SYS_ADMIN);
	uint64_t limit = current_task()->process->limits[RLIMIT_NOFILE][0];

	if (!account_take(files->uid, ACCOUNT_FILES, 1, is_free ? ACCOUNT_FREE : limit))
		return false;
	files->charged++;
	return true;
}

/* Takes the files from an SCM_RIGHTS message: 0 or a negative errno. */
static int add_files(struct message_files **files, const char *data, size_t bytes)
{
	const int *fds = (const int *)data;

	if (!*files)
		*files = kalloc(sizeof(**files));
	if (!*files)
		return -ENOMEM;
	(*files)->uid = current_task()->cred.uid.real;
	for (size_t i = 0; i < bytes / sizeof(int); i++) {
		struct file *file = fd_get(fds[i]);

		if (!file || file->flags & O_PATH || (*files)->count == SOCKET_FILES ||
		    socket_of(file)) {
			/* A socket that is in flight to itself would never be freed. */
			int err = !file || file->flags & O_PATH ? -EBADF
				  : socket_of(file)             ? -ETOOMANYREFS
								: -EINVAL;

			if (file)
				file_put(file);
			return err;
		}
		if (!charge_file(*files)) {
			file_put(file);
			return -ETOOMANYREFS;
		}
		(*files)->file[(*files)->count++] = file;
	}
	return 0;
}

/* SCM_CREDENTIALS: a sender may name another pid, uid or gid only with the matching capability. */
static int check_cred(const char *data, size_t bytes, struct message_cred *cred)
{
	const struct task *task = current_task();
	struct message_cred claimed;

	if (bytes != sizeof(claimed))
		return -EINVAL;
	memcpy(&claimed, data, sizeof(claimed));
	if (task->cred.uid.effective &&
	    (claimed.pid != task->tgid || claimed.uid != task->cred.uid.real ||
	     claimed.gid != task->cred.gid.real))
		return -EPERM;
	*cred = claimed;
	return 0;
}

static int parse_control(const char *control, uint64_t bytes, struct socket_message *with)
{
	struct control_header header;
	int err = 0;

	for (uint64_t at = 0; at + sizeof(header) <= bytes && !err;
	     at += control_align(header.bytes)) {
		memcpy(&header, control + at, sizeof(header));
		if (header.bytes < sizeof(header) || header.bytes > bytes - at)
			return -EINVAL;
		if (header.level != SOL_SOCKET)
			continue;
		if (header.type == SCM_RIGHTS)
			err = add_files(&with->files, control + at + sizeof(header),
					header.bytes - sizeof(header));
		else if (header.type == SCM_CRED)
			err = check_cred(control + at + sizeof(header),
					 header.bytes - sizeof(header), &with->cred);
		else
			err = -EINVAL;
	}
	return err;
}

static int control_from_user(const struct user_message *message, struct socket_message *with)
{
	char *control;
	int err;

	if (!message->control_bytes)
		return 0;
	if (message->control_bytes > CONTROL_BYTES)
		return -ENOBUFS;
	control = kalloc(message->control_bytes);
	if (!control)
		return -ENOBUFS;
	err = copy_from_user(control, message->control, message->control_bytes);
	if (!err)
		err = parse_control(control, message->control_bytes, with);
	kfree(control);
	return err;
}

/* Control messages that came. */

/* Writes one control message to the user's buffer; without room sets MSG_CTRUNC. */
static int put_control(struct user_message *message, int type, const void *data, uint64_t bytes)
{
	struct control_header header = {sizeof(header) + bytes, SOL_SOCKET, type};
	uint64_t room = message->control_bytes;

	if (room < sizeof(header) || room - sizeof(header) < bytes) {
		message->flags |= MSG_CTRUNC;
		return 0;
	}
	if (copy_to_user(message->control, &header, sizeof(header)) ||
	    copy_to_user(message->control + sizeof(header), data, bytes))
		return -EFAULT;
	room = control_align(header.bytes) < room ? control_align(header.bytes) : room;
	message->control += room;
	message->control_bytes -= room;
	return 0;
}

/* Opens descriptors for the received files, as many as fit. */
static int put_files(struct user_message *message, struct message_files *files, unsigned flags)
{
	int fds[SOCKET_FILES];
	uint64_t room = message->control_bytes > sizeof(struct control_header)
			    ? (message->control_bytes - sizeof(struct control_header)) / sizeof(int)
			    : 0;
	unsigned count = 0;

	while (count < files->count && count < room) {
		fds[count] = fd_install(files->file[count], 0, !!(flags & MSG_CMSG_CLOEXEC));
		if (fds[count] < 0)
			break;
		file_get(files->file[count++]);
	}
	if (count < files->count)
		message->flags |= MSG_CTRUNC;
	return count ? put_control(message, SCM_RIGHTS, fds, count * sizeof(int)) : 0;
}

/* sendmsg and recvmsg of one message whose header was copied. */

static long send_message(struct socket *socket, const struct user_message *message, unsigned flags)
{
	const struct task *task = current_task();
	struct socket_message with = {
	    .flags = flags, .cred = {task->tgid, task->cred.uid.real, task->cred.gid.real}};
	struct socket_address address;
	struct vectors vectors;
	long result;

	result =
	    take_address(socket, &address, message->name, (uint32_t)message->name_bytes, &with);
	if (result)
		return result;
	result = vectors_from_user(&vectors, message->vectors, message->count);
	if (!result)
		result = control_from_user(message, &with);
	if (!result)
		result = socket_send(socket, vectors.list, message->count, &with);
	message_files_free(with.files);
	vectors_free(&vectors);
	return result;
}

/* Writes the sender's name. */
static int put_name(struct user_message *message, const struct socket_name *name)
{
	uint32_t bytes = name ? name->bytes : 0, room = (uint32_t)message->name_bytes;

	if (!message->name)
		return 0;
	message->name_bytes = (int)bytes;
	return bytes && copy_to_user(message->name, &name->address, bytes < room ? bytes : room)
		   ? -EFAULT
		   : 0;
}

static long receive_message(struct socket *socket, struct user_message *message, unsigned flags)
{
	struct socket_message with = {.flags = flags, .files = kalloc(sizeof(*with.files))};
	struct vectors vectors;
	long result;
	int err = 0;

	if (message->name_bytes < 0) {
		kfree(with.files);
		return -EINVAL;
	}
	if (!with.files)
		return -ENOMEM;
	result = vectors_from_user(&vectors, message->vectors, message->count);
	if (!result)
		result = socket_receive(socket, vectors.list, message->count, &with);
	vectors_free(&vectors);
	message->flags = with.flags & MSG_TRUNC;
	if (result >= 0)
		err = put_name(message, with.name);
	socket_name_put(with.name);
	if (result >= 0 && !err && socket->pass_cred)
		err = put_control(message, SCM_CRED, &with.cred, sizeof(with.cred));
	if (result >= 0 && !err && with.files->count)
		err = put_files(message, with.files, flags);
	message_files_free(with.files);
	return err ? err : result;
}

long sys_sendmsg(uint64_t fd, uint64_t user, uint64_t flags)
{
	struct user_message message;
	struct socket *socket;
	struct file *file;
	long result = socket_get(fd, &file, &socket);

	if (result)
		return result;
	if (copy_from_user(&message, user, sizeof(message)))
		result = -EFAULT;
	else
		result = send_message(socket, &message, (unsigned)flags);
	file_put(file);
	return result;
}

long sys_recvmsg(uint64_t fd, uint64_t user, uint64_t flags)
{
	struct user_message message, before;
	struct socket *socket;
	struct file *file;
	long result = socket_get(fd, &file, &socket);

	if (result)
		return result;
	if (copy_from_user(&message, user, sizeof(message))) {
		result = -EFAULT;
	} else {
		before = message;
		result = receive_message(socket, &message, (unsigned)flags);
	}
	file_put(file);
	if (result < 0)
		return result;
	message.control_bytes = message.control - before.control;
	message.control = before.control;
	return copy_to_user(user, &message, sizeof(message)) ? -EFAULT : result;
}

/* Several messages, each followed by the number of bytes transferred. */

#define MANY_MAX       1024
#define MANY_BYTES     (sizeof(struct user_message) + 8)
#define MSG_WAITFORONE 0x10000

/* Transfers one of them: 0 or a negative errno. */
static long one_of_many(uint64_t fd, uint64_t user, uint64_t flags,
			long (*work)(uint64_t, uint64_t, uint64_t))
{
	long result = work(fd, user, flags);
	uint32_t bytes = (uint32_t)result;

	if (result < 0)
		return result;
	return copy_to_user(user + sizeof(struct user_message), &bytes, sizeof(bytes)) ? -EFAULT
										       : 0;
}

long sys_sendmmsg(uint64_t fd, uint64_t user, uint64_t count, uint64_t flags)
{
	uint32_t done = 0;
	long result = 0;

	for (; done < count && done < MANY_MAX; done++, user += MANY_BYTES) {
		result = one_of_many(fd, user, flags, sys_sendmsg);
		if (result)
			break;
	}
	return done ? (long)done : result;
}

long sys_recvmmsg(uint64_t fd, uint64_t user, uint64_t count, uint64_t flags, uint64_t timeout)
{
	uint32_t done = 0;
	uint64_t deadline;
	long result;

	result = deadline_from_user(timeout, &deadline);
	for (; !result && done < count && done < MANY_MAX; done++, user += MANY_BYTES) {
		result = one_of_many(fd, user, flags & ~(uint64_t)MSG_WAITFORONE, sys_recvmsg);
		if (result)
			break;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
		result = clock_ns() >= deadline; /* looked at between messages, as Linux does */
	}
	deadline_done(0);
	return done ? (long)done : result < 0 ? result : 0;
}

/* Transfers one buffer as a message. `name` and `name_bytes`: for sending the target's address and
 * its size; for receiving where to store the sender's address, and the address of its size. */
static long simple(uint64_t fd, bool send, uint64_t buffer, uint64_t bytes, uint64_t flags,
		   uint64_t name, uint64_t name_bytes)
{
	struct iovec vector = {(void *)buffer, bytes > INT32_MAX ? INT32_MAX : bytes};
	const struct task *task = current_task();
	struct socket_message with = {
	    .flags = (unsigned)flags,
	    .cred = {task->tgid, task->cred.uid.real, task->cred.gid.real}};
	struct socket_address address;
	struct socket *socket;
	struct file *file;
	long result;

	if (buffer > USER_END || vector.iov_len > USER_END - buffer)
		return -EFAULT;
	result = socket_get(fd, &file, &socket);
	if (result)
		return result;
	if (send)
		result = take_address(socket, &address, name, name_bytes, &with);
	if (!result)
		result = send ? socket_send(socket, &vector, 1, &with)
			      : socket_receive(socket, &vector, 1, &with);
	if (!send && result >= 0 && name) {
		int err = name_to_user(with.name, 0, name, name_bytes);

		result = err ? err : result;
	}
	socket_name_put(with.name);
	file_put(file);
	return result;
}

long sys_sendto(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t flags, uint64_t name,
		uint64_t name_bytes)
{
	return simple(fd, true, buffer, bytes, flags, name, name_bytes);
}

long sys_recvfrom(uint64_t fd, uint64_t buffer, uint64_t bytes, uint64_t flags, uint64_t name,
		  uint64_t name_bytes)
{
	return simple(fd, false, buffer, bytes, flags, name, name_bytes);
}

long sys_shutdown(uint64_t fd, uint64_t how)
{
	struct socket *socket;
	struct file *file;
	int err = socket_get(fd, &file, &socket);

	if (err)
		return err;
	if (how > 2)
		err = -EINVAL;
	else
		socket_shutdown(socket, (unsigned)how);
	file_put(file);
	return err;
}
