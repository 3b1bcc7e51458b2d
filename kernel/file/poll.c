/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of poll(2). */
#include <asm/poll.h>
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/mem/memory.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

void poll_table_init(struct poll_table *table)
{
	table->add = NULL;
	table->file = NULL;
	table->entries = NULL;
	table->used = 0;
	table->err = 0;
	table->woken = false;
}

/* Records the wake-up, since a pass may already be past this queue's file. */
static bool queue_wakes(struct waiter *waiter)
{
	container_of(waiter, struct poll_entry, waiter)->table->woken = true;
	task_wake(waiter->task);
	return true;
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
	entry->table = table;
	entry->waiter.task = current_task();
	entry->waiter.exclusive = false;
	waitq_watch(queue, &entry->waiter, queue_wakes);
}

int poll_sleep(struct poll_table *table, uint64_t deadline_ns)
{
	struct task *task = current_task();
	uint64_t flags = irq_save();
	int err;

	task->state = table->woken ? TASK_RUNNABLE : TASK_SLEEPING;
	irq_restore(flags);
	err = waitq_sleep(deadline_ns);
	task->state = TASK_RUNNABLE;
	table->woken = false;
	return err;
}

void poll_table_end(struct poll_table *table)
{
	for (unsigned i = 1; table->entries; i++) {
		struct poll_entry *entry = table->entries;

		table->entries = entry->next;
		waitq_unwatch(&entry->waiter);
		if (entry->file)
			file_put(entry->file);
		if (entry < table->first || entry >= table->first + POLL_INLINE)
			kfree(entry);
		if (i % POLL_AT_ONCE == 0)
			sched_pause();
	}
}

unsigned file_poll(struct file *file, struct poll_table *table)
{
	if (table)
		table->file = file;
	return file->ops->poll ? file->ops->poll(file, table) : POLL_DEFAULT;
}
