/* SPDX-License-Identifier: BSD-2-Clause */
/* One poll(2) pass: the wait queues that the caller sleeps on. */
#ifndef KERNEL_POLL_H
#define KERNEL_POLL_H

#include "kernel/waitq.h"

#define POLL_INLINE 8

struct file;

struct poll_entry {
	struct waiter waiter;
	struct file *file; /* referenced: its queue must not vanish */
	struct poll_entry *next;
};

struct poll_table {
	struct file *file;          /* whose poll operation runs */
	struct poll_entry *entries; /* all that are in use */
	struct poll_entry first[POLL_INLINE];
	unsigned used;
	int err; /* -ENOMEM: a queue could not be added */
};

void poll_table_init(struct poll_table *table);
/* Leaves all queues. Context: task, as all here. */
void poll_table_end(struct poll_table *table);

#endif
