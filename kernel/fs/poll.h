/* SPDX-License-Identifier: BSD-2-Clause */
/* One poll(2) pass: the wait queues that the caller sleeps on. */
#ifndef KERNEL_POLL_H
#define KERNEL_POLL_H

#include "kernel/task/waitq.h"

#define POLL_INLINE 8

struct file;

struct poll_entry {
	struct waiter waiter;
	struct file *file; /* referenced: its queue must not vanish */
	struct poll_entry *next;
};

struct poll_table {
	/* Instead of sleeping on the queue; NULL: sleeps. */
	void (*add)(struct poll_table *table, struct waitq *queue);
	struct file *file;          /* whose poll operation runs */
	struct poll_entry *entries; /* all that are in use */
	struct poll_entry first[POLL_INLINE];
	unsigned used;
	int err; /* -ENOMEM: a queue could not be added */
};

/* What holds on a file without a poll operation. */
#define POLL_DEFAULT (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM)

void poll_table_init(struct poll_table *table);
/* Leaves all queues. Context: task, as all here. */
void poll_table_end(struct poll_table *table);

/* The events that hold on the file; `table` may be NULL. */
unsigned file_poll(struct file *file, struct poll_table *table);

#endif
