/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers read from a file: timerfd_create(2). */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/time.h>
#include <linux/timerfd.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"

struct timer_file {
	struct alarm alarm;
	int clock;
	bool over; /* a deadline has passed since the last read or setting */
	/* TFD_TIMER_CANCEL_ON_SET: in the list of such timers, and the clock was set since. */
	struct list cancel_link;
	bool cancelled;
	struct waitq ends;
};

static struct list cancelled_by_set = {&cancelled_by_set, &cancelled_by_set};

void timer_files_clock_set(void)
{
	struct timer_file *timer;

	list_for_each(timer, &cancelled_by_set, cancel_link) {
		timer->cancelled = true;
		waitq_wake(&timer->ends);
	}
}

static void timer_over(struct alarm *alarm)
{
	struct timer_file *timer = container_of(alarm, struct timer_file, alarm);

	timer->over = true;
	waitq_wake(&timer->ends);
}

/* Sleeps until the timer expires: 0, -EAGAIN or -EINTR. */
static int wait_over(struct file *file)
{
	struct timer_file *timer = file->priv;
	struct waiter waiter;
	int err = 0;

	if (file->flags & O_NONBLOCK && !timer->over && !timer->cancelled)
		return -EAGAIN;
	waitq_add(&timer->ends, &waiter);
	while (!timer->over && !timer->cancelled && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	if (!timer->cancelled)
		return err;
	timer->cancelled = false;
	return -ECANCELED;
}

static long timer_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	struct timer_file *timer = file->priv;
	uint64_t count = 1;
	int err;

	(void)offset;
	if (bytes < sizeof(count))
		return -EINVAL;
	err = wait_over(file);
	if (err)
		return err;
	timer->over = false;
	if (timer->alarm.period)
		count = alarm_forward(&timer->alarm);
	return copy_to_user(buffer, &count, sizeof(count)) ? -EFAULT : (long)sizeof(count);
}

static unsigned timer_poll(struct file *file, struct poll_table *table)
{
	struct timer_file *timer = file->priv;

	poll_wait(table, &timer->ends);
	return timer->over || timer->cancelled ? POLLIN : 0;
}

static void timer_release(struct file *file)
{
	struct timer_file *timer = file->priv;

	alarm_cancel(&timer->alarm);
	list_remove(&timer->cancel_link);
	kfree(timer);
}

static const struct file_ops timer_ops = {
    .name = "[timerfd]",
    .read = timer_read,
    .poll = timer_poll,
    .release = timer_release,
};

/* Returns the timer of a descriptor, and its file with a reference: 0, -EBADF, -EINVAL. */
static int timer_get(uint64_t fd, struct file **file, struct timer_file **timer)
{
	*file = fd_get_open((int)fd);
	if (!*file)
		return -EBADF;
	*timer = (*file)->priv;
	if ((*file)->ops == &timer_ops)
		return 0;
	file_put(*file);
	return -EINVAL;
}

static bool has_timers(int clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
	       clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
}

long sys_timerfd_create(uint64_t clock, uint64_t flags)
{
	struct timer_file *timer;
	struct file *file;
	int fd;

	if (flags & ~(uint64_t)(TFD_CLOEXEC | TFD_NONBLOCK) || !has_timers((int)clock))
		return -EINVAL;
	timer = kalloc(sizeof(*timer));
	file = timer ? file_new(&timer_ops, timer, O_RDWR | (flags & TFD_NONBLOCK)) : NULL;
	if (!file) {
		kfree(timer);
		return -ENOMEM;
	}
	timer->clock = (int)clock;
	waitq_init(&timer->ends);
	list_init(&timer->cancel_link);
	alarm_init(&timer->alarm, ALARM_TIME, timer_over);
	fd = fd_install(file, 0, !!(flags & TFD_CLOEXEC));
	if (fd < 0)
		file_put(file);
	return fd;
}

long sys_timerfd_settime(uint64_t fd, uint64_t flags, uint64_t new_user, uint64_t old_user)
{
	struct timer_file *timer;
	struct file *file;
	uint64_t value, period;
	struct clock_id id;
	long err = itimerspec_from_user(new_user, &value, &period);

	if (!err && flags & ~(uint64_t)(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
		err = -EINVAL;
	if (!err)
		err = timer_get(fd, &file, &timer);
	if (err)
		return err;
	err = old_user ? alarm_to_user(&timer->alarm, old_user) : 0;
	clock_find(timer->clock, &id);
	alarm_cancel(&timer->alarm);
	timer->over = timer->cancelled = false;
	list_remove(&timer->cancel_link);
	list_init(&timer->cancel_link);
	if (id.offset && flags & TFD_TIMER_ABSTIME && flags & TFD_TIMER_CANCEL_ON_SET)
		list_add_tail(&cancelled_by_set, &timer->cancel_link);
	alarm_set(&timer->alarm, value, period, flags & TFD_TIMER_ABSTIME, id.offset);
	file_put(file);
	return err;
}

long sys_timerfd_gettime(uint64_t fd, uint64_t user)
{
	struct timer_file *timer;
	struct file *file;
	long err = timer_get(fd, &file, &timer);

	if (err)
		return err;
	err = alarm_to_user(&timer->alarm, user);
	file_put(file);
	return err;
}
