/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of watched files: epoll(7). A watched file's wake-up puts its item on the set's ready list;
 * whoever waits asks the files of that list what holds.
 */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "arch/x86/cpu/spinlock.h"
#include "kernel/fs/epoll.h"
#include "kernel/fs/file.h"
#include "kernel/mem/memory.h"
#include "kernel/fs/poll.h"
#include "kernel/mem/user.h"

#define CHAIN_MOST 4 /* sets within sets, as Linux */
#define QUEUES     2 /* wait queues of one file */

/* Bits of `events` that are not events. */
#define MODES (EPOLLET | EPOLLONESHOT | EPOLLWAKEUP | EPOLLEXCLUSIVE)

struct epoll {
	struct file *file;
	struct list items;
	struct list ready; /* by ready_link */
	struct waitq waiters;
};

struct epoll_item {
	struct list link, ready_link;
	struct epoll_item *next_watcher; /* of the same file */
	struct epoll *set;
	struct file *file;
	int fd;
	struct epoll_event event;
	struct watch {
		struct waiter waiter;
		struct epoll_item *item;
	} watches[QUEUES];
	unsigned nr_watches;
};

/* What collects the wait queues of a file. */
struct watch_table {
	struct poll_table poll;
	struct epoll_item *item;
};

static struct spinlock lock; /* all ready lists: wake-ups come in interrupts */

static void mark_ready(struct epoll_item *item)
{
	uint64_t flags = spin_lock_irqsave(&lock);

	if (list_empty(&item->ready_link))
		list_add_tail(&item->set->ready, &item->ready_link);
	spin_unlock_irqrestore(&lock, flags);
	waitq_wake(&item->set->waiters);
}

static void unmark_ready(struct epoll_item *item)
{
	uint64_t flags = spin_lock_irqsave(&lock);

	list_remove(&item->ready_link);
	spin_unlock_irqrestore(&lock, flags);
}

static void watched_wake(struct waiter *waiter)
{
	struct epoll_item *item = container_of(waiter, struct watch, waiter)->item;

	if (item->event.events & ~MODES) /* a one-shot item rests after its shot */
		mark_ready(item);
}

static void watch_queue(struct poll_table *table, struct waitq *queue)
{
	struct epoll_item *item = container_of(table, struct watch_table, poll)->item;
	struct watch *watch = &item->watches[item->nr_watches];

	if (item->nr_watches == QUEUES)
		return;
	item->nr_watches++;
	watch->item = item;
	waitq_watch(queue, &watch->waiter, watched_wake);
}

/* The wanted events that hold now. */
static unsigned item_events(const struct epoll_item *item)
{
	return file_poll(item->file, NULL) & item->event.events & ~MODES;
}

static struct epoll_item *item_find(const struct epoll *set, const struct file *file, int fd)
{
	struct epoll_item *item;

	list_for_each(item, &set->items, link)
		if (item->file == file && item->fd == fd)
			return item;
	return NULL;
}

static void item_free(struct epoll_item *item)
{
	struct epoll_item **link = &item->file->watchers;

	for (unsigned i = 0; i < item->nr_watches; i++)
		waitq_unwatch(&item->watches[i].waiter);
	while (*link != item)
		link = &(*link)->next_watcher;
	*link = item->next_watcher;
	unmark_ready(item);
	list_remove(&item->link);
	kfree(item);
}

void epoll_forget(struct file *file)
{
	while (file->watchers)
		item_free(file->watchers);
}

static void set_release(struct file *file)
{
	struct epoll *set = file->priv;

	while (!list_empty(&set->items))
		item_free(list_first(&set->items, struct epoll_item, link));
	kfree(set);
}

/* A set is readable while one of its files is ready. */
static unsigned set_poll(struct file *file, struct poll_table *table)
{
	struct epoll *set = file->priv;

	poll_wait(table, &set->waiters);
	while (!list_empty(&set->ready)) {
		struct epoll_item *item = list_first(&set->ready, struct epoll_item, ready_link);

		if (item_events(item))
			return POLLIN | POLLRDNORM;
		unmark_ready(item);
	}
	return 0;
}

static const struct file_ops set_ops = {
    .name = "[eventpoll]", .poll = set_poll, .release = set_release};

bool file_is_epoll(const struct file *file)
{
	return file->ops == &set_ops;
}

struct file *epoll_open(void)
{
	struct epoll *set = kalloc(sizeof(*set));
	struct file *file = set ? file_new(&set_ops, set, O_RDWR) : NULL;

	if (!file) {
		kfree(set);
		return NULL;
	}
	set->file = file;
	list_init(&set->items);
	list_init(&set->ready);
	waitq_init(&set->waiters);
	return file;
}

/* Levels of sets at and below the file, or more than CHAIN_MOST when `top` is among them. */
static unsigned levels_below(const struct file *file, const struct epoll *top, unsigned level)
{
	const struct epoll *set = file->priv;
	const struct epoll_item *item;
	unsigned deepest = level;

	if (!file_is_epoll(file))
		return level - 1;
	if (set == top || level > CHAIN_MOST)
		return CHAIN_MOST + 1;
	list_for_each(item, &set->items, link) {
		unsigned below = levels_below(item->file, top, level + 1);

		deepest = below > deepest ? below : deepest;
	}
	return deepest;
}

/* Levels of sets at and above this one. */
static unsigned levels_above(const struct epoll *set, unsigned level)
{
	unsigned highest = level;

	if (level > CHAIN_MOST)
		return level;
	for (const struct epoll_item *item = set->file->watchers; item; item = item->next_watcher) {
		unsigned above = levels_above(item->set, level + 1);

		highest = above > highest ? above : highest;
	}
	return highest;
}

static bool would_loop(const struct epoll *set, const struct file *file)
{
	unsigned below = levels_below(file, set, 1);

	return below > CHAIN_MOST || (below && below + levels_above(set, 1) > CHAIN_MOST + 1);
}

/* Looks at the file after a change: an event that holds already is not lost. */
static void item_look(struct epoll_item *item, struct poll_table *table)
{
	if (file_poll(item->file, table) & item->event.events & ~MODES)
		mark_ready(item);
}

int epoll_add(struct file *set_file, struct file *file, int fd, const struct epoll_event *event)
{
	struct epoll *set = set_file->priv;
	struct watch_table table = {.poll = {.add = watch_queue}};
	struct epoll_item *item;

	if (would_loop(set, file))
		return -ELOOP;
	if (item_find(set, file, fd))
		return -EEXIST;
	item = kalloc(sizeof(*item));
	if (!item)
		return -ENOMEM;
	item->set = set;
	item->file = file;
	item->fd = fd;
	item->event = *event;
	item->event.events |= POLLERR | POLLHUP;
	list_init(&item->ready_link);
	list_add_tail(&set->items, &item->link);
	item->next_watcher = file->watchers;
	file->watchers = item;
	table.item = item;
	item_look(item, &table.poll);
	return 0;
}

int epoll_modify(struct file *set_file, struct file *file, int fd, const struct epoll_event *event)
{
	struct epoll_item *item = item_find(set_file->priv, file, fd);

	if (!item)
		return -ENOENT;
	if (item->event.events & EPOLLEXCLUSIVE)
		return -EINVAL;
	item->event = *event;
	item->event.events |= POLLERR | POLLHUP;
	item_look(item, NULL);
	return 0;
}

int epoll_remove(struct file *set_file, struct file *file, int fd)
{
	struct epoll_item *item = item_find(set_file->priv, file, fd);

	if (!item)
		return -ENOENT;
	item_free(item);
	return 0;
}

/* Tells the user of one ready item: 1, 0 (nothing holds any more) or -EFAULT. */
static int report(struct epoll_item *item, uint64_t user)
{
	struct epoll_event event = {.events = item_events(item), .data = item->event.data};

	if (!event.events)
		return 0;
	if (copy_to_user(user, &event, sizeof(event))) {
		mark_ready(item);
		return -EFAULT;
	}
	if (item->event.events & EPOLLONESHOT)
		item->event.events &= MODES;
	else if (!(item->event.events & EPOLLET))
		mark_ready(item); /* asked again next time */
	return 1;
}

/* Goes once through what is ready now. Returns how many events were written, or -EFAULT. */
static long collect(struct epoll *set, uint64_t user, unsigned most)
{
	struct epoll_item *last, *item;
	long count = 0;
	int told = 0;

	if (list_empty(&set->ready))
		return 0;
	last = container_of(set->ready.prev, struct epoll_item, ready_link);
	do {
		item = list_first(&set->ready, struct epoll_item, ready_link);
		unmark_ready(item);
		told = report(item, user + (uint64_t)count * sizeof(struct epoll_event));
		count += told > 0;
	} while (item != last && count < most && told >= 0);
	return count || told >= 0 ? count : told;
}

long epoll_wait(struct file *file, uint64_t user, unsigned most, uint64_t deadline_ns)
{
	struct epoll *set = file->priv;
	struct waiter waiter;
	long count = collect(set, user, most);
	int err = 0;

	if (count || !deadline_ns)
		return count;
	waitq_add(&set->waiters, &waiter);
	while (!(count = collect(set, user, most)) && !err)
		err = waitq_sleep(deadline_ns);
	waitq_remove(&waiter);
	return count || err == -ETIMEDOUT ? count : err;
}
