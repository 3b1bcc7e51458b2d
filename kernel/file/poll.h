/* SPDX-License-Identifier: BSD-2-Clause */
/* One poll(2) pass: the wait queues that the caller sleeps on. */
#ifndef KERNEL_POLL_H
#define KERNEL_POLL_H

#include <stdbool.h>
#include "kernel/task/waitq.h"

#define POLL_INLINE 8

struct file;
struct poll_table;

struct poll_entry {
	struct waiter waiter;
	struct poll_table *table;
	struct file *file; /* referenced: its queue must not vanish */
	struct poll_entry *next;
};

struct poll_table {
	/* Called instead of sleeping on the queue; NULL: sleeps. */
	void (*add)(struct poll_table *table, struct waitq *queue);
	struct file *file;          /* whose poll operation runs */
	struct poll_entry *entries; /* all that are in use */
	struct poll_entry first[POLL_INLINE];
	unsigned used;
	int err;    /* -ENOMEM: a queue could not be added */
	bool woken; /* by a queue, since poll_sleep() */
};

/* The events of a file without a poll operation. */
#define POLL_DEFAULT (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM)

/* An empty table. Context: any. */
void poll_table_init(struct poll_table *table);
/* Leaves all queues; other tasks run in between if there are many. Context: task, as all here. */
void poll_table_end(struct poll_table *table);

/* Adds the caller to a queue of the file whose poll operation runs; `table` may be NULL. */
void poll_wait(struct poll_table *table, struct waitq *queue);

/* Number of files to poll without a pause. */
#define POLL_AT_ONCE 1024
/* Sleeps until a queue of the table wakes the caller, unless one has done so since the last call;
 * otherwise returns as waitq_sleep(). */
int poll_sleep(struct poll_table *table, uint64_t deadline_ns);

/* Returns the file's current events; `table` may be NULL. */
unsigned file_poll(struct file *file, struct poll_table *table);

#endif
