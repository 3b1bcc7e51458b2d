/* SPDX-License-Identifier: BSD-2-Clause */
/* eventfd(2): a counter that can be polled. */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "api/calls.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/mem/cursor.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"

/* The flags of eventfd2, with Linux's values. */
#define EFD_SEMAPHORE 1u
#define EFD_CLOEXEC   O_CLOEXEC
#define EFD_NONBLOCK  O_NONBLOCK

#define COUNT_MAX (UINT64_MAX - 1)

struct counter {
	uint64_t count;
	bool semaphore; /* EFD_SEMAPHORE: a read takes 1 */
	struct waitq changes;
};

/* Sleeps until the counter is not 0 (reading), or has room for `add`. 0, -EAGAIN or -EINTR. */
static int counter_wait(struct file *file, bool reading, uint64_t add)
{
	struct counter *counter = file->priv;
	struct waiter waiter;
	int err = 0;

	if (reading ? counter->count : COUNT_MAX - counter->count >= add)
		return 0;
	if (file->flags & EFD_NONBLOCK)
		return -EAGAIN;
	waitq_add(&counter->changes, &waiter);
	while (!err && !(reading ? counter->count : COUNT_MAX - counter->count >= add))
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

static long counter_readv(struct file *file, const struct iovec *vectors, uint64_t count)
{
	struct cursor to = {vectors, count, 0};
	struct counter *counter = file->priv;
	uint64_t value;
	int err;

	if (vectors_bytes(vectors, count) < sizeof(value))
		return -EINVAL;
	err = counter_wait(file, true, 0);
	if (err)
		return err;
	value = counter->semaphore ? 1 : counter->count;
	counter->count -= value;
	waitq_wake(&counter->changes);
	return copy_vectors(&to, (char *)&value, sizeof(value), true) ? -EFAULT
								      : (long)sizeof(value);
}

static long counter_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	const struct iovec vector = {(void *)buffer, bytes};

	(void)offset;
	return counter_readv(file, &vector, 1);
}

static long counter_write(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct counter *counter = file->priv;
	uint64_t value;
	int err;

	(void)offset;
	if (bytes < sizeof(value))
		return -EINVAL;
	if (copy_from_user(&value, buffer, sizeof(value)))
		return -EFAULT;
	if (value == UINT64_MAX)
		return -EINVAL;
	err = counter_wait(file, false, value);
	if (err)
		return err;
	counter->count += value;
	waitq_wake(&counter->changes);
	return sizeof(value);
}

static unsigned counter_poll(struct file *file, struct poll_table *table)
{
	struct counter *counter = file->priv;

	poll_wait(table, &counter->changes);
	return (counter->count ? POLLIN | POLLRDNORM : 0) |
	       (counter->count < COUNT_MAX ? POLLOUT | POLLWRNORM : 0);
}

static void counter_release(struct file *file)
{
	kfree(file->priv);
}

static const struct file_ops counter_ops = {
    .name = "[eventfd]",
    .read = counter_read,
    .readv = counter_readv,
    .write = counter_write,
    .poll = counter_poll,
    .release = counter_release,
};

long sys_eventfd2(uint64_t value, uint64_t flags)
{
	struct counter *counter;
	struct file *file;
	int fd;

	if (flags & ~(uint64_t)(EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK))
		return -EINVAL;
	counter = kalloc(sizeof(*counter));
	file = counter ? file_new(&counter_ops, counter, O_RDWR | (flags & EFD_NONBLOCK)) : NULL;
	if (!file) {
		kfree(counter);
		return -ENOMEM;
	}
	counter->count = (uint32_t)value;
	counter->semaphore = flags & EFD_SEMAPHORE;
	waitq_init(&counter->changes);
	fd = fd_install(file, 0, !!(flags & EFD_CLOEXEC));
	if (fd < 0)
		file_put(file);
	return fd;
}

long sys_eventfd(uint64_t value)
{
	return sys_eventfd2(value, 0);
}
