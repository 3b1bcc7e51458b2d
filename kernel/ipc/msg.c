/* SPDX-License-Identifier: BSD-2-Clause */
/* System V message queues: msgget(2), msgsnd(2), msgrcv(2), msgctl(2). */
#include <linux/errno.h>
#include <linux/msg.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/ipc/sysv.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"

struct message {
	struct list link;
	int64_t type;
	uint64_t bytes;
	char data[];
};

struct msg_queue {
	struct sysv_object object;
	struct list messages;
	uint64_t bytes, count, bytes_most;
	int64_t sent_s, received_s;
	int sender, receiver;
	struct waitq changes;
};

static void queue_free(struct sysv_object *object)
{
	struct message *message, *next;

	list_for_each_safe(message, next, &((struct msg_queue *)object)->messages, link)
		kfree(message);
}

static struct sysv_table queues = {
    .keys = {.before = sysv_key_before}, .most = MSG_QUEUES_MAX, .free = queue_free};

static int find(int id, uint32_t mode, struct msg_queue **queue)
{
	return sysv_find_for(&queues, id, mode, (struct sysv_object **)queue);
}

static long queue_new(int key, uint32_t flags)
{
	struct msg_queue *queue = (struct msg_queue *)sysv_new(sizeof(*queue), key, flags);
	int id;

	if (!queue)
		return -ENOMEM;
	list_init(&queue->messages);
	waitq_init(&queue->changes);
	queue->bytes_most = MSG_QUEUE_BYTES;
	id = sysv_add(&queues, &queue->object);
	if (id < 0)
		sysv_put(&queues, &queue->object);
	return id;
}

long msg_get(int key, uint32_t flags)
{
	int id = sysv_get(&queues, key, flags, NULL, 0);

	return id == -ENODATA ? queue_new(key, flags) : id;
}

/* Sleeps until the queue changes: 0, -EIDRM if it was removed, -EINTR. */
static int sleep(struct msg_queue *queue)
{
	struct waiter waiter;
	int err;

	sysv_hold(&queue->object);
	waitq_add(&queue->changes, &waiter);
	err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	if (queue->object.removed)
		err = -EIDRM;
	sysv_put(&queues, &queue->object);
	return err;
}

/* ---- sending ---- */

static bool has_room(const struct msg_queue *queue, uint64_t bytes)
{
	return queue->bytes + bytes <= queue->bytes_most && queue->count + 1 <= queue->bytes_most;
}

/* Waits for room; permissions may change while it sleeps. */
static int wait_for_room(int id, uint64_t bytes, uint32_t flags, struct msg_queue **queue)
{
	int err = find(id, SYSV_WRITE, queue);

	while (!err && !has_room(*queue, bytes)) {
		err = flags & IPC_NOWAIT ? -EAGAIN : sleep(*queue);
		if (!err)
			err = sysv_permission(&(*queue)->object, SYSV_WRITE);
	}
	return err;
}

static int put_message(int id, struct message *message, uint32_t flags)
{
	struct msg_queue *queue;
	int err = wait_for_room(id, message->bytes, flags, &queue);

	if (err)
		return err;
	if (!sysv_charge(&queue->object, sizeof(*message) + message->bytes))
		return -ENOMEM;
	list_add_tail(&queue->messages, &message->link);
	queue->bytes += message->bytes;
	queue->count++;
	queue->sender = current_task()->tgid;
	queue->sent_s = sysv_now();
	waitq_wake(&queue->changes);
	return 0;
}

long msg_send(int id, uint64_t user, uint64_t bytes, uint32_t flags)
{
	struct message *message;
	int64_t type;
	int err;

	if (copy_from_user(&type, user, sizeof(type)))
		return -EFAULT;
	if (bytes > MSG_BYTES_MAX || id < 0 || type < 1)
		return -EINVAL;
	message = kalloc(sizeof(*message) + bytes);
	if (!message)
		return -ENOMEM;
	message->type = type;
	message->bytes = bytes;
	err = copy_from_user(message->data, user + sizeof(type), bytes);
	if (!err)
		err = put_message(id, message, flags);
	if (err)
		kfree(message);
	return err;
}

/* ---- receiving ---- */

static bool wanted(const struct message *message, int64_t type, uint32_t flags)
{
	if (!type)
		return true;
	if (type > 0)
		return flags & MSG_EXCEPT ? message->type != type : message->type == type;
	return message->type <= (type == INT64_MIN ? INT64_MAX : -type);
}

/* Returns the first matching message; for a negative type, the first of the lowest type. MSG_COPY:
 * the one with that index. */
static struct message *choose(const struct msg_queue *queue, int64_t type, uint32_t flags)
{
	struct message *message, *found = NULL;
	int64_t number = 0;

	list_for_each(message, &queue->messages, link) {
		if (flags & MSG_COPY) {
			if (number++ == type)
				return message;
		} else if (wanted(message, type, flags) &&
			   (!found || (type < 0 && message->type < found->type))) {
			found = message;
			if (type >= 0)
				break;
		}
	}
	return found;
}

static void take_message(struct msg_queue *queue, struct message *message)
{
	list_remove(&message->link);
	sysv_discharge(&queue->object, sizeof(*message) + message->bytes);
	queue->bytes -= message->bytes;
	KASSERT(queue->count > 0);
	queue->count--;
	queue->receiver = current_task()->tgid;
	queue->received_s = sysv_now();
	waitq_wake(&queue->changes);
}

/* MSG_COPY: returns a copy, because another task may take the message while ring 3's memory is
 * written; NULL: no memory. */
static struct message *copy_of(const struct message *message)
{
	struct message *copy = kalloc(sizeof(*copy) + message->bytes);

	if (copy)
		memcpy(copy, message, sizeof(*copy) + message->bytes);
	return copy;
}

/* Waits for a message, which the caller then owns. */
static int get_message(int id, uint64_t bytes, int64_t type, uint32_t flags,
		       struct message **message)
{
	struct msg_queue *queue;
	int err = find(id, SYSV_READ, &queue);

	while (!err && !(*message = choose(queue, type, flags))) {
		err = flags & IPC_NOWAIT ? -ENOMSG : sleep(queue);
		if (!err)
			err = sysv_permission(&queue->object, SYSV_READ);
	}
	if (err)
		return err;
	if ((*message)->bytes > bytes && !(flags & MSG_NOERROR))
		return -E2BIG;
	if (!(flags & MSG_COPY)) {
		take_message(queue, *message);
		return 0;
	}
	if ((*message)->bytes > bytes)
		return -EINVAL; /* no part of a copy, as on Linux */
	*message = copy_of(*message);
	return *message ? 0 : -ENOMEM;
}

long msg_receive(int id, uint64_t user, uint64_t bytes, int64_t type, uint32_t flags)
{
	struct message *message;
	int err;

	if (id < 0 || (int64_t)bytes < 0)
		return -EINVAL;
	if (flags & MSG_COPY && (flags & MSG_EXCEPT || !(flags & IPC_NOWAIT)))
		return -EINVAL;
	err = get_message(id, bytes, type, flags, &message);
	if (err)
		return err;
	if (bytes > message->bytes)
		bytes = message->bytes;
	if (copy_to_user(user, &message->type, sizeof(message->type)) ||
	    copy_to_user(user + sizeof(message->type), message->data, bytes))
		err = -EFAULT; /* as on Linux, it is lost */
	kfree(message);
	return err ? err : (long)bytes;
}

/* ---- msgctl ---- */

static long info_to_user(int command, uint64_t user)
{
	struct msginfo info = {
	    .msgmax = MSG_BYTES_MAX,
	    .msgmnb = MSG_QUEUE_BYTES,
	    .msgmni = MSG_QUEUES_MAX,
	    .msgssz = MSGSSZ,
	    .msgseg = MSGSEG,
	    .msgmap = MSGMAP,
	    .msgpool = MSGPOOL,
	    .msgtql = MSGTQL,
	};
	int highest = sysv_highest(&queues);

	if (command == MSG_INFO) {
		info.msgpool = (int)queues.used;
		info.msgmap = info.msgtql = 0;
		for (int slot = 0; slot <= highest; slot++) {
			const struct msg_queue *queue =
			    (struct msg_queue *)sysv_slot(&queues, (unsigned)slot);

			info.msgmap += queue ? (int)queue->count : 0;
			info.msgtql += queue ? (int)queue->bytes : 0;
		}
	}
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : highest;
}

static long status(int id, int command, uint64_t user)
{
	struct sysv_object *object = sysv_slot(&queues, (unsigned)id);
	int err = command == IPC_STAT ? sysv_find(&queues, id, &object) : object ? 0 : -EINVAL;
	struct msqid64_ds status = {0};
	const struct msg_queue *queue = (struct msg_queue *)object;

	if (!err && command != MSG_STAT_ANY)
		err = sysv_permission(object, SYSV_READ);
	if (err)
		return err;
	sysv_describe(object, &status.msg_perm);
	status.msg_stime = queue->sent_s;
	status.msg_rtime = queue->received_s;
	status.msg_ctime = object->changed_s;
	status.msg_cbytes = queue->bytes;
	status.msg_qnum = queue->count;
	status.msg_qbytes = queue->bytes_most;
	status.msg_lspid = queue->sender;
	status.msg_lrpid = queue->receiver;
	if (copy_to_user(user, &status, sizeof(status)))
		return -EFAULT;
	return command == IPC_STAT ? 0 : object->id;
}

static long set(struct msg_queue *queue, const struct msqid64_ds *new)
{
	int err;

	if (new->msg_qbytes > MSG_QUEUE_BYTES && !capable(CAP_SYS_RESOURCE))
		return -EPERM;
	err = sysv_set(&queue->object, &new->msg_perm);
	if (err)
		return err;
	queue->bytes_most = new->msg_qbytes;
	waitq_wake(&queue->changes);
	return 0;
}

static long change(int id, int command, const struct msqid64_ds *new)
{
	struct msg_queue *queue;
	int err = sysv_find_owned(&queues, id, (struct sysv_object **)&queue);

	if (err)
		return err;
	if (command == IPC_SET)
		return set(queue, new);
	waitq_wake(&queue->changes);
	sysv_remove(&queues, &queue->object);
	return 0;
}

long msg_control(int id, int command, uint64_t user)
{
	struct msqid64_ds new = {0};

	if (id < 0 || command < 0)
		return -EINVAL;
	switch (command) {
	case IPC_INFO:
	case MSG_INFO:
		return info_to_user(command, user);
	case IPC_STAT:
	case MSG_STAT:
	case MSG_STAT_ANY:
		return status(id, command, user);
	case IPC_SET:
		if (copy_from_user(&new, user, sizeof(new)))
			return -EFAULT;
		return change(id, command, &new);
	case IPC_RMID:
		return change(id, command, NULL);
	default:
		return -EINVAL;
	}
}

void msg_text(struct text *out, uint64_t id)
{
	(void)id;
	text_print(out, "       key      msqid perms      cbytes       qnum lspid lrpid   uid   "
			"gid  cuid  cgid      stime      rtime      ctime\n");
	for (unsigned slot = 0; slot < queues.nr_slots; slot++) {
		const struct msg_queue *queue = (struct msg_queue *)queues.slots[slot];

		if (!queue)
			continue;
		sysv_text_begin(out, &queue->object);
		text_print(out, " %10lu %10lu %5u %5u ", queue->bytes, queue->count,
			   (unsigned)queue->sender, (unsigned)queue->receiver);
		sysv_text_owners(out, &queue->object);
		text_print(out, "%10lu %10lu %10lu\n", (uint64_t)queue->sent_s,
			   (uint64_t)queue->received_s, (uint64_t)queue->object.changed_s);
	}
}
