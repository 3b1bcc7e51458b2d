/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of watched files: epoll(7). A watched file's wake-up puts its item on the set's ready list;
 * a waiting task polls the files of that list.
 */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "arch/x86/cpu/spinlock.h"
#include "kernel/base/tree.h"
#include "kernel/file/epoll.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/task/task.h"

#define CHAIN_MAX 4 /* sets within sets, as Linux */
#define QUEUES    2 /* wait queues of one file */

/* Maximum number of paths from one file up through epoll sets to the outermost set, by path length,
 * as on Linux: one wake-up walks them all with interrupts masked. Any number of sets may watch a
 * file directly. */
static const uint16_t ways_most[CHAIN_MAX + 1] = {UINT16_MAX, 500, 100, 50, 10};

/* Bits of `events` that are not events. */
#define MODES (EPOLLET | EPOLLONESHOT | EPOLLWAKEUP | EPOLLEXCLUSIVE)

struct epoll {
	struct file *file;
	struct list items;
	struct tree by_fd; /* the items, by descriptor and file */
	struct list ready; /* by ready_link */
	struct waitq waiters;
	uint64_t seen; /* the walk that `levels` is of */
	unsigned levels;
};

struct epoll_item {
	struct list link, ready_link;
	struct tree_node node; /* in set->by_fd */
	/* The next item of the same file, and the pointer that leads to this one. */
	struct epoll_item *next_watcher, **to_watcher;
	struct epoll *set;
	struct file *file;
	int fd;
	uint32_t charged_uid; /* whose account it is on */
	struct epoll_event event;
	struct watch {
		struct waiter waiter;
		struct epoll_item *item;
	} watches[QUEUES];
	unsigned nr_watches;
};

/* Collects the wait queues of a file. */
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

static bool watched_wake(struct waiter *waiter)
{
	struct epoll_item *item = container_of(waiter, struct watch, waiter)->item;

	if (!(item->event.events & ~MODES)) /* a one-shot item rests after its shot */
		return false;
	mark_ready(item);
	return !list_empty(&item->set->waiters.waiters);
}

static void watch_queue(struct poll_table *table, struct waitq *queue)
{
	struct epoll_item *item = container_of(table, struct watch_table, poll)->item;
	struct watch *watch = &item->watches[item->nr_watches];

	if (item->nr_watches == QUEUES)
		return;
	item->nr_watches++;
	watch->item = item;
	watch->waiter.exclusive = item->event.events & EPOLLEXCLUSIVE;
	waitq_watch(queue, &watch->waiter, watched_wake);
}

/* The wanted events that hold now. */
static unsigned item_events(const struct epoll_item *item)
{
	return file_poll(item->file, NULL) & item->event.events & ~MODES;
}

static bool is_before(const struct epoll_item *item, const struct file *file, int fd)
{
	return item->fd < fd || (item->fd == fd && item->file < file);
}

static bool node_before(const struct tree_node *a, const struct tree_node *b)
{
	const struct epoll_item *than = container_of(b, struct epoll_item, node);

	return is_before(container_of(a, struct epoll_item, node), than->file, than->fd);
}

static struct epoll_item *item_find(const struct epoll *set, const struct file *file, int fd)
{
	struct tree_node *node = set->by_fd.root;

	while (node) {
		struct epoll_item *item = container_of(node, struct epoll_item, node);

		if (item->file == file && item->fd == fd)
			return item;
		node = is_before(item, file, fd) ? node->right : node->left;
	}
	return NULL;
}

static void item_free(struct epoll_item *item)
{
	for (unsigned i = 0; i < item->nr_watches; i++)
		waitq_unwatch(&item->watches[i].waiter);
	*item->to_watcher = item->next_watcher;
	if (item->next_watcher)
		item->next_watcher->to_watcher = item->to_watcher;
	unmark_ready(item);
	list_remove(&item->link);
	tree_remove(&item->set->by_fd, &item->node);
	account_give(item->charged_uid, ACCOUNT_WATCHES, 1);
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
	set->by_fd.before = node_before;
	list_init(&set->ready);
	waitq_init(&set->waiters);
	return file;
}

/*
 * Sets form a graph without cycles. A search stores its result in each set, so that each is visited
 * once. Searches are numbered; levels are limited to TOO_DEEP.
 */
#define TOO_DEEP (CHAIN_MAX + 1)

static uint64_t walks; /* so far */

static unsigned deeper(unsigned deepest, unsigned below)
{
	unsigned levels = below < TOO_DEEP ? below + 1 : TOO_DEEP;

	return levels > deepest ? levels : deepest;
}

/* Returns the levels of sets at and below the file; TOO_DEEP if `top` is among them. `level`: of
 * the search. */
static unsigned levels_below(const struct file *file, const struct epoll *top, unsigned level)
{
	struct epoll *set = file->priv;
	const struct epoll_item *item;

	if (!file_is_epoll(file))
		return 0;
	if (set == top || level > TOO_DEEP)
		return TOO_DEEP;
	if (set->seen == walks)
		return set->levels;
	set->levels = 1;
	list_for_each(item, &set->items, link)
		set->levels = deeper(set->levels, levels_below(item->file, top, level + 1));
	set->seen = walks;
	return set->levels;
}

/* Returns the levels of sets at and above this one. */
static unsigned levels_above(struct epoll *set)
{
	if (set->seen == walks)
		return set->levels;
	set->levels = 1;
	for (const struct epoll_item *item = set->file->watchers; item; item = item->next_watcher)
		set->levels = deeper(set->levels, levels_above(item->set));
	set->seen = walks;
	return set->levels;
}

static bool would_loop(struct epoll *set, const struct file *file)
{
	unsigned below;

	walks++;
	below = levels_below(file, set, 1);
	walks++;
	return below > CHAIN_MAX || (below && below + levels_above(set) > CHAIN_MAX + 1);
}

/* Counts the paths from the file up, by length; false if there are too many. */
static bool count_ways(const struct file *file, unsigned length, uint16_t *ways)
{
	if (!file->watchers)
		return !length || ++ways[length - 1] <= ways_most[length - 1];
	for (const struct epoll_item *item = file->watchers; item; item = item->next_watcher)
		if (!count_ways(item->set->file, length + 1, ways))
			return false;
	return true;
}

/* True if every file at and below this one has few enough paths up. */
static bool ways_fit(const struct file *file)
{
	uint16_t ways[CHAIN_MAX + 1] = {0};
	struct epoll *set = file->priv;
	const struct epoll_item *item;

	if (!file_is_epoll(file))
		return count_ways(file, 0, ways);
	if (set->seen == walks)
		return true;
	set->seen = walks;
	list_for_each(item, &set->items, link)
		if (!ways_fit(item->file))
			return false;
	return true;
}

/* Polls the file after a change, so that an event that already holds is not lost. */
static void item_look(struct epoll_item *item, struct poll_table *table)
{
	if (file_poll(item->file, table) & item->event.events & ~MODES)
		mark_ready(item);
}

/* max_user_watches: a twenty-fifth of memory, as Linux. */
static bool charge(struct epoll_item *item)
{
	uint64_t limit = memory_total_pages() * PAGE_SIZE / 25 / sizeof(*item);

	item->charged_uid = current_task()->cred.uid.real;
	return account_take(item->charged_uid, ACCOUNT_WATCHES, 1, limit);
}

/* Returns a new item in the set and among the file's watchers, or NULL with *error. */
static struct epoll_item *item_new(struct epoll *set, struct file *file, int fd, int *err)
{
	struct epoll_item *item = kalloc(sizeof(*item));

	*err = -ENOMEM;
	if (!item)
		return NULL;
	if (!charge(item)) {
		*err = -ENOSPC;
		kfree(item);
		return NULL;
	}
	item->set = set;
	item->file = file;
	item->fd = fd;
	list_init(&item->ready_link);
	list_add_tail(&set->items, &item->link);
	tree_insert(&set->by_fd, &item->node);
	item->to_watcher = &file->watchers;
	item->next_watcher = file->watchers;
	if (file->watchers)
		file->watchers->to_watcher = &item->next_watcher;
	file->watchers = item;
	return item;
}

int epoll_add(struct file *set_file, struct file *file, int fd, const struct epoll_event *event)
{
	struct epoll *set = set_file->priv;
	struct watch_table table = {.poll = {.add = watch_queue}};
	struct epoll_item *item;
	int err;

	if (would_loop(set, file))
		return -ELOOP;
	if (item_find(set, file, fd))
		return -EEXIST;
	item = item_new(set, file, fd, &err);
	if (!item)
		return err;
	walks++;
	if ((set_file->watchers || file_is_epoll(file)) && !ways_fit(file)) {
		item_free(item);
		return -EINVAL;
	}
	item->event = *event;
	item->event.events |= POLLERR | POLLHUP;
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

/* Copies one ready item to the user: 1, 0 (no event holds any more) or -EFAULT. */
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

/* Polls the items on the ready list once. Returns the number of events written, or -EFAULT. */
static long collect(struct epoll *set, uint64_t user, unsigned most)
{
	struct epoll_item *last, *item;
	long count = 0;
	int reported = 0;

	if (list_empty(&set->ready))
		return 0;
	last = container_of(set->ready.prev, struct epoll_item, ready_link);
	do {
		item = list_first(&set->ready, struct epoll_item, ready_link);
		unmark_ready(item);
		reported = report(item, user + (uint64_t)count * sizeof(struct epoll_event));
		count += reported > 0;
	} while (item != last && count < most && reported >= 0);
	return count || reported >= 0 ? count : reported;
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
