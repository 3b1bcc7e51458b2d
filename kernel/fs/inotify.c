/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inotify(7): watches on files and directories, and the queued events.
 *
 * An inode has a chain of its watches, one for each instance; an instance finds them by number. A
 * watch holds no reference to the inode: it ends with it. An inode without a name in the tree
 * (/proc makes a new one at each lookup) is kept while it is watched; otherwise the watch would end
 * at once.
 */
#include <asm/ioctls.h>
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/stat.h>
#include "kernel/base/assert.h"
#include "kernel/base/string.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/file/sigio.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/inotify.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"

#define NOTES_BYTES (4ul << 20) /* of unread events that a user may have */
#define NAME_UNIT   sizeof(struct inotify_event)

/* Events that a watched directory also receives for its entries. */
#define OF_CHILDREN (IN_ACCESS | IN_MODIFY | IN_ATTRIB | IN_CLOSE | IN_OPEN)

struct note {
	struct list link;           /* in instance->notes */
	uint32_t bytes;             /* size that read(2) returns for it */
	struct inotify_event event; /* with the name, and NULs up to a multiple of NAME_UNIT */
};

struct instance {
	uint32_t uid; /* whose account it is on */
	int last_wd;
	struct tree watches; /* by number */
	struct list notes;
	uint32_t nr_notes;
	uint64_t note_bytes; /* the value of FIONREAD */
	struct waitq changes;
	struct file *file;
	struct note overflown; /* in `notes`, or in no list: later events were lost */
};

struct watch {
	struct watch *next; /* of the same inode */
	struct tree_node node;
	struct instance *instance;
	struct inode *inode;
	bool keeps; /* holds a reference to the inode */
	int wd;
	uint32_t mask;
};

uint32_t inotify_watches;
static uint32_t last_cookie;

/* ---- events ---- */

static bool is_same_note(const struct note *note, const struct inotify_event *event,
			 const char *name, size_t length)
{
	return note->event.mask == event->mask && note->event.wd == event->wd &&
	       note->event.len == event->len && !(event->mask & IN_IGNORED) &&
	       !memcmp(note->event.name, name, length) &&
	       (!event->len || !note->event.name[length]);
}

static void append(struct instance *instance, struct note *note)
{
	list_add_tail(&instance->notes, &note->link);
	instance->nr_notes++;
	instance->note_bytes += note->bytes;
	waitq_wake(&instance->changes);
	file_send_sigio(instance->file, POLLIN | POLLRDNORM, -1);
}

/* NULL: the user's limit is reached, or memory is short. */
static struct note *note_new(struct instance *instance, const struct inotify_event *event,
			     const char *name, size_t length)
{
	uint32_t bytes = (uint32_t)sizeof(*event) + event->len;
	struct note *note;

	if (instance->nr_notes >= INOTIFY_EVENTS_MAX ||
	    !account_take(instance->uid, ACCOUNT_NOTES, bytes, NOTES_BYTES))
		return NULL;
	note = kalloc(sizeof(*note) + event->len);
	if (!note) {
		account_give(instance->uid, ACCOUNT_NOTES, bytes);
		return NULL;
	}
	note->bytes = bytes;
	note->event = *event;
	memcpy(note->event.name, name, length);
	return note;
}

/* Queues an event unless it repeats the last one queued. */
static void queue_event(struct instance *instance, const struct inotify_event *what,
			const char *name, size_t length)
{
	struct inotify_event event = *what;
	struct note *note;

	event.len = length ? (uint32_t)((length + NAME_UNIT) / NAME_UNIT * NAME_UNIT) : 0;
	if (!list_empty(&instance->notes) &&
	    is_same_note(container_of(instance->notes.prev, struct note, link), &event, name,
			 length))
		return;
	note = note_new(instance, &event, name, length);
	if (note)
		append(instance, note);
	else if (list_empty(&instance->overflown.link))
		append(instance, &instance->overflown);
}

static void note_take(struct instance *instance, struct note *note)
{
	list_remove(&note->link);
	KASSERT(instance->nr_notes > 0);
	instance->nr_notes--;
	instance->note_bytes -= note->bytes;
}

static void note_free(struct instance *instance, struct note *note)
{
	if (note == &instance->overflown)
		return;
	account_give(instance->uid, ACCOUNT_NOTES, note->bytes);
	kfree(note);
}

/* ---- watches ---- */

static struct watch *watch_of_node(struct tree_node *node)
{
	return container_of(node, struct watch, node);
}

static bool before(const struct tree_node *a, const struct tree_node *b)
{
	return container_of(a, struct watch, node)->wd < container_of(b, struct watch, node)->wd;
}

static struct watch *watch_by_number(struct instance *instance, int wd)
{
	struct tree_node *node = instance->watches.root;

	while (node && watch_of_node(node)->wd != wd)
		node = wd < watch_of_node(node)->wd ? node->left : node->right;
	return node ? watch_of_node(node) : NULL;
}

static struct watch *watch_of_inode(const struct instance *instance, const struct inode *inode)
{
	struct watch *watch = inode->watches;

	while (watch && watch->instance != instance)
		watch = watch->next;
	return watch;
}

/* Removes the watch without queueing an event. */
static void watch_end(struct watch *watch)
{
	struct instance *instance = watch->instance;
	struct inode *inode = watch->inode;
	struct watch **link = &inode->watches;
	bool keeps = watch->keeps;

	while (*link != watch)
		link = &(*link)->next;
	*link = watch->next;
	tree_remove(&instance->watches, &watch->node);
	account_give(instance->uid, ACCOUNT_INOTIFY, 1);
	inotify_watches--;
	kfree(watch);
	if (keeps)
		inode_put(inode);
}

/* Removes the watch and queues IN_IGNORED. */
static void watch_remove(struct watch *watch)
{
	struct instance *instance = watch->instance;
	int wd = watch->wd;

	watch_end(watch);
	queue_event(instance, &(struct inotify_event){.wd = wd, .mask = IN_IGNORED}, "", 0);
}

static void notify_watch(struct watch *watch, uint32_t events, uint32_t cookie, const char *name,
			 size_t length)
{
	struct inotify_event event = {.wd = watch->wd, .mask = events, .cookie = cookie};

	if (!(watch->mask & events & IN_ALL_EVENTS))
		return;
	queue_event(watch->instance, &event, name, length);
	if (watch->mask & IN_ONESHOT)
		watch_remove(watch);
}

/* ---- what happens to files ---- */

void inotify_notify_entry(const struct inode *dir, const char *name, size_t length, uint32_t events,
			  uint32_t cookie)
{
	struct watch *watch, *next;

	for (watch = dir->watches; watch; watch = next) {
		next = watch->next;
		notify_watch(watch, events, cookie, name, length);
	}
}

uint32_t inotify_cookie(void)
{
	return ++last_cookie;
}

void inotify_notify_self(const struct inode *inode, uint32_t events)
{
	inotify_notify_entry(inode, "", 0, events, 0);
}

void inotify_notify(const struct inode *inode, const struct dirent *name, uint32_t events)
{
	struct watch *watch, *next;

	if (S_ISDIR(inode->mode))
		events |= IN_ISDIR;
	for (watch = name && events & OF_CHILDREN ? name->dir->watches : NULL; watch;
	     watch = next) {
		next = watch->next;
		if (!(watch->mask & IN_EXCL_UNLINK) || !name->removed)
			notify_watch(watch, events, 0, name->name, name->length);
	}
	inotify_notify_self(inode, events);
}

void inotify_gone(struct inode *inode)
{
	inotify_notify_self(inode, IN_DELETE_SELF);
	while (inode->watches)
		watch_remove(inode->watches);
}

/* ---- the instance ---- */

/* Sleeps until there is an event: 0, -EAGAIN or -EINTR. */
static int await_note(struct file *file)
{
	struct instance *instance = file->priv;
	struct waiter waiter;
	int err = 0;

	if (list_empty(&instance->notes) && file->flags & O_NONBLOCK)
		return -EAGAIN;
	waitq_add(&instance->changes, &waiter);
	while (!err && list_empty(&instance->notes))
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

/* Reads one event: returns its bytes or a negative errno. The event is consumed even if the buffer
 * cannot be written. */
static long read_note(struct instance *instance, uint64_t buffer, size_t bytes)
{
	struct note *note = list_first(&instance->notes, struct note, link);
	long size = note->bytes;

	if (note->bytes > bytes)
		return -EINVAL;
	note_take(instance, note);
	if (copy_to_user(buffer, &note->event, note->bytes))
		size = -EFAULT;
	note_free(instance, note);
	return size;
}

static long instance_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct instance *instance = file->priv;
	size_t done = 0;
	long got = await_note(file);

	(void)offset;
	while (!got && !list_empty(&instance->notes)) {
		got = read_note(instance, buffer + done, bytes - done);
		if (got > 0) {
			done += (size_t)got;
			got = 0;
		}
	}
	return done && got != -EFAULT ? (long)done : got;
}

static long instance_ioctl(struct file *file, unsigned command, uint64_t argument)
{
	const struct instance *instance = file->priv;
	int bytes = (int)instance->note_bytes;

	return command == FIONREAD ? copy_to_user(argument, &bytes, sizeof(bytes)) : -ENOTTY;
}

static unsigned instance_poll(struct file *file, struct poll_table *table)
{
	struct instance *instance = file->priv;

	poll_wait(table, &instance->changes);
	return list_empty(&instance->notes) ? 0 : POLLIN | POLLRDNORM;
}

static void instance_release(struct file *file)
{
	struct instance *instance = file->priv;

	while (instance->watches.root)
		watch_end(watch_of_node(instance->watches.root));
	while (!list_empty(&instance->notes)) {
		struct note *note = list_first(&instance->notes, struct note, link);

		note_take(instance, note);
		note_free(instance, note);
	}
	account_give(instance->uid, ACCOUNT_INSTANCES, 1);
	kfree(instance);
}

static const struct file_ops instance_ops = {
    .name = "inotify",
    .read = instance_read,
    .ioctl = instance_ioctl,
    .poll = instance_poll,
    .release = instance_release,
};

static struct instance *instance_new(uint32_t uid)
{
	struct instance *instance = kalloc(sizeof(*instance));

	if (!instance)
		return NULL;
	instance->uid = uid;
	instance->watches.before = before;
	list_init(&instance->notes);
	list_init(&instance->overflown.link);
	instance->overflown.bytes = sizeof(instance->overflown.event);
	instance->overflown.event.wd = -1;
	instance->overflown.event.mask = IN_Q_OVERFLOW;
	waitq_init(&instance->changes);
	return instance;
}

int inotify_open(uint32_t flags, struct file **file)
{
	uint32_t uid = current_task()->cred.uid.real;
	struct instance *instance;

	if (!account_take(uid, ACCOUNT_INSTANCES, 1, INOTIFY_INSTANCES_MAX))
		return -EMFILE;
	instance = instance_new(uid);
	*file = instance ? file_new(&instance_ops, instance, O_RDONLY | flags) : NULL;
	if (!*file) {
		account_give(uid, ACCOUNT_INSTANCES, 1);
		kfree(instance);
		return -ENOMEM;
	}
	instance->file = *file;
	return 0;
}

bool inotify_is(const struct file *file)
{
	return file->ops == &instance_ops;
}

/* Adds a watch: returns its number, -ENOSPC or -ENOMEM. */
static int watch_new(struct instance *instance, struct inode *inode, uint32_t mask)
{
	struct watch *watch;

	if (instance->last_wd == INT32_MAX ||
	    !account_take(instance->uid, ACCOUNT_INOTIFY, 1, INOTIFY_WATCHES_MAX))
		return -ENOSPC;
	watch = kalloc(sizeof(*watch));
	if (!watch) {
		account_give(instance->uid, ACCOUNT_INOTIFY, 1);
		return -ENOMEM;
	}
	watch->instance = instance;
	watch->inode = inode;
	watch->wd = ++instance->last_wd;
	watch->mask = mask;
	watch->keeps = inode != root_inode && !name_is_there(inode->name);
	if (watch->keeps)
		inode_get(inode);
	watch->next = inode->watches;
	inode->watches = watch;
	tree_insert(&instance->watches, &watch->node);
	inotify_watches++;
	return watch->wd;
}

int inotify_add(struct file *file, struct inode *inode, uint32_t mask)
{
	const uint32_t kept = IN_ALL_EVENTS | IN_ONESHOT | IN_EXCL_UNLINK;
	struct instance *instance = file->priv;
	struct watch *watch = watch_of_inode(instance, inode);

	if (!watch)
		return watch_new(instance, inode, mask & kept);
	if (mask & IN_MASK_CREATE)
		return -EEXIST;
	watch->mask = (mask & IN_MASK_ADD ? watch->mask : 0) | (mask & kept);
	return watch->wd;
}

int inotify_remove(struct file *file, int wd)
{
	struct watch *watch = watch_by_number(file->priv, wd);

	if (!watch)
		return -EINVAL;
	watch_remove(watch);
	return 0;
}
