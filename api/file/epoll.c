/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of watched files: epoll_create(2), epoll_ctl(2), epoll_wait(2). */
#include <linux/errno.h>
#include "api/calls.h"
#include "api/file/poll.h"
#include "api/time/clock.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/epoll.h"
#include "kernel/file/file.h"
#include "kernel/mem/user.h"

#define EVENTS_MAX (INT32_MAX / sizeof(struct epoll_event))

long sys_epoll_create1(uint64_t flags)
{
	struct file *file;
	int fd;

	if (flags & ~(uint64_t)EPOLL_CLOEXEC)
		return -EINVAL;
	file = epoll_open();
	if (!file)
		return -ENOMEM;
	fd = fd_install(file, 0, !!flags);
	if (fd < 0)
		file_put(file);
	return fd;
}

long sys_epoll_create(uint64_t size)
{
	return (int)size <= 0 ? -EINVAL : sys_epoll_create1(0);
}

/* EPOLLEXCLUSIVE is only valid when added, with few other bits, and not for sets. */
static bool exclusive_ok(const struct file *file, uint64_t operation, uint32_t events)
{
	const uint32_t with =
	    EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | EPOLLET | EPOLLEXCLUSIVE;

	if (operation == EPOLL_CTL_MOD)
		return false;
	return operation != EPOLL_CTL_ADD || !(file_is_epoll(file) || events & ~with);
}

static long control(struct file *set, struct file *file, uint64_t operation, int fd,
		    const struct epoll_event *event)
{
	if (!file->ops->poll)
		return -EPERM;
	if (file == set || !file_is_epoll(set))
		return -EINVAL;
	if (event->events & EPOLLEXCLUSIVE && !exclusive_ok(file, operation, event->events))
		return -EINVAL;
	switch ((int)operation) {
	case EPOLL_CTL_ADD:
		return epoll_add(set, file, fd, event);
	case EPOLL_CTL_MOD:
		return epoll_modify(set, file, fd, event);
	case EPOLL_CTL_DEL:
		return epoll_remove(set, file, fd);
	default:
		return -EINVAL;
	}
}

long sys_epoll_ctl(uint64_t set_fd, uint64_t operation, uint64_t fd, uint64_t user)
{
	struct epoll_event event = {0};
	struct file *set, *file;
	long result = -EBADF;

	if ((int)operation != EPOLL_CTL_DEL && copy_from_user(&event, user, sizeof(event)))
		return -EFAULT;
	set = fd_get_open((int)set_fd);
	file = fd_get_open((int)fd);
	if (set && file)
		result = control(set, file, operation, (int)fd, &event);
	if (file)
		file_put(file);
	if (set)
		file_put(set);
	return result;
}

static long wait_until(uint64_t fd, uint64_t user, uint64_t most64, uint64_t deadline)
{
	int most = (int)most64;
	struct file *set;
	long result;

	if (most <= 0 || (unsigned)most > EVENTS_MAX)
		return -EINVAL;
	if (user > USER_END || (unsigned)most * sizeof(struct epoll_event) > USER_END - user)
		return -EFAULT;
	set = fd_get_open((int)fd);
	if (!set)
		return -EBADF;
	result = file_is_epoll(set) ? epoll_wait(set, user, (unsigned)most, deadline) : -EINVAL;
	file_put(set);
	return result;
}

long sys_epoll_wait(uint64_t fd, uint64_t user, uint64_t most, uint64_t timeout)
{
	return deadline_done(wait_until(fd, user, most, deadline_from_ms((int)timeout)));
}

long sys_epoll_pwait(uint64_t fd, uint64_t user, uint64_t most, uint64_t timeout, uint64_t mask,
		     uint64_t size)
{
	int err = block_for_call(mask, size);

	return err ? err : sys_epoll_wait(fd, user, most, timeout);
}

long sys_epoll_pwait2(uint64_t fd, uint64_t user, uint64_t most, uint64_t timeout, uint64_t mask,
		      uint64_t size)
{
	uint64_t deadline;
	long result = poll_deadline(timeout, &deadline);

	if (!result)
		result = block_for_call(mask, size);
	if (!result)
		result = wait_until(fd, user, most, deadline);
	return deadline_done(result);
}
