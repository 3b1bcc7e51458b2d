/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of tracefs's instances. */
#include <linux/errno.h>
#include "kernel/file/file.h"
#include "kernel/fs/inode.h"
#include "kernel/mem/memory.h"
#include "trace/buffer/buffer.h"
#include "trace/buffer/clock.h"
#include "trace/buffer/instance.h"
#include "trace/buffer/options.h"
#include "trace/buffer/pids.h"

#define NUMBER_MAX 0x7fff

struct trace_instance trace_top = {.link = {&trace_top.link, &trace_top.link}};

static uint32_t made; /* instances, ever */

static void wake(struct irq_work *work)
{
	waitq_wake(&container_of(work, struct trace_instance, work)->readers);
}

static void start(struct trace_instance *instance)
{
	instance->size_kb = BUFFER_KB;
	instance->options = OPTIONS_AT_FIRST;
	instance->clock = trace_clock_first();
	instance->work.run = wake;
	waitq_init(&instance->readers);
	list_init(&instance->events);
}

void instances_init(void)
{
	start(&trace_top);
}

struct trace_instance *instance_find(uint64_t id)
{
	struct trace_instance *instance;
	uint32_t number = (uint32_t)(id >> INSTANCE_SHIFT);

	if (!number)
		return &trace_top;
	list_for_each(instance, &trace_top.link, link)
		if (instance->number == number)
			return instance;
	return NULL;
}

struct trace_instance *instance_open(uint64_t id)
{
	struct trace_instance *instance = instance_find(id);

	if (instance)
		instance->opened++;
	return instance;
}

void instance_close(struct trace_instance *instance)
{
	instance->opened--;
}

int instance_open_buffer(struct inode *inode, struct file *file)
{
	struct trace_instance *instance = instance_open(inode->priv);
	int err = instance ? buffer_prepare(instance) : -ENODEV;

	if (err && instance)
		instance_close(instance);
	file->priv = instance;
	return err;
}

void instance_release(struct file *file)
{
	instance_close(file->priv);
}

int instance_new(uint64_t *id)
{
	struct trace_instance *instance;
	unsigned nr = 0;

	list_for_each(instance, &trace_top.link, link)
		nr++;
	if (nr >= INSTANCES_MAX || made == NUMBER_MAX)
		return -ENOSPC;
	instance = kalloc(sizeof(*instance));
	if (!instance)
		return -ENOMEM;
	start(instance);
	instance->number = ++made;
	list_add_tail(&trace_top.link, &instance->link);
	*id = (uint64_t)instance->number << INSTANCE_SHIFT;
	return 0;
}

int instance_remove(uint64_t id)
{
	struct trace_instance *instance = instance_find(id);

	if (!instance || instance->opened)
		return -EBUSY;
	list_remove(&instance->link);
	buffer_leave(instance);
	pids_clear(instance);
	if (instance->options & OPTION_FORK)
		pids_follow(false);
	irq_work_sync(&instance->work);
	buffer_free(instance);
	kfree(instance);
	return 0;
}
