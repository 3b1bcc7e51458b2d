/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files: their offset, O_ASYNC, and their end. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "kernel/file/epoll.h"
#include "kernel/file/file.h"
#include "kernel/mem/memory.h"
#include "kernel/task/task.h"

struct file *file_new(const struct file_ops *ops, void *priv, uint32_t flags)
{
	struct file *file = kalloc(sizeof(*file));

	if (!file)
		return NULL;
	file->ops = ops;
	file->priv = priv;
	file->flags = flags;
	file->refs = 1;
	return file;
}

static struct waitq offset_waiters = {{&offset_waiters.waiters, &offset_waiters.waiters}};

/* Sleeps until the offset is free: 0 or -EINTR. */
static __attribute__((noinline)) int offset_wait(struct file *file)
{
	struct waiter waiter;
	int err = 0;

	waitq_add(&offset_waiters, &waiter);
	while (file->moving && !err)
		err = waitq_sleep_killable();
	waitq_remove(&waiter);
	return err;
}

int offset_take(struct file *file)
{
	int err = file->moving ? offset_wait(file) : 0;

	if (!err)
		file->moving = file->ops->in_pieces;
	return err;
}

void offset_give(struct file *file)
{
	if (file->moving) {
		file->moving = false;
		waitq_wake(&offset_waiters);
	}
}

uint32_t async_files;

void file_set_async(struct file *file, bool on, int fd)
{
	if (on && !(file->flags & FASYNC))
		file->async_fd = fd;
	if (on != file->async)
		__atomic_add_fetch(&async_files, on ? 1 : -1u, __ATOMIC_RELAXED);
	file->async = on;
	file->flags = on ? file->flags | FASYNC : file->flags & ~(uint32_t)FASYNC;
}

static void file_release(struct ending *ending)
{
	struct file *file = container_of(ending, struct file, ending);

	if (file->ops->release)
		file->ops->release(file);
	if (file->inode)
		file_hooks.gone(file);
	kfree(file);
}

/* Nothing finds the file any more when others run before its release. */
void file_end(struct file *file)
{
	if (file->inode)
		file_hooks.end(file);
	if (file->watchers)
		epoll_forget(file);
	if (file->async)
		file_set_async(file, false, -1);
	ending_run(&file->ending, file_release);
}
