/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of poll(2). */
#include <asm/poll.h>
#include <linux/errno.h>
#include "kernel/fs/file.h"
#include "kernel/mem/memory.h"
#include "kernel/fs/poll.h"

void poll_table_init(struct poll_table *table)
{
	table->add = NULL;
	table->file = NULL;
	table->entries = NULL;
	table->used = 0;
	table->err = 0;
}

void poll_wait(struct poll_table *table, struct waitq *queue)
{
	struct poll_entry *entry;

	if (!table)
		return;
	if (table->add) {
		table->add(table, queue);
		return;
	}
	if (table->used < POLL_INLINE)
		entry = &table->first[table->used];
	else
		entry = kalloc(sizeof(*entry));
	if (!entry) {
		table->err = -ENOMEM;
		return;
	}
	table->used++;
	entry->next = table->entries;
	table->entries = entry;
	entry->file = table->file;
	if (entry->file)
		file_get(entry->file);
	waitq_add(queue, &entry->waiter);
}

void poll_table_end(struct poll_table *table)
{
	while (table->entries) {
		struct poll_entry *entry = table->entries;

		table->entries = entry->next;
		waitq_remove(&entry->waiter);
		if (entry->file)
			file_put(entry->file);
		if (entry < table->first || entry >= table->first + POLL_INLINE)
			kfree(entry);
	}
}

unsigned file_poll(struct file *file, struct poll_table *table)
{
	if (table)
		table->file = file;
	return file->ops->poll ? file->ops->poll(file, table) : POLL_DEFAULT;
}
