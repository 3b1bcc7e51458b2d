/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals read from a file: signalfd(2). */
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/signalfd.h>
#include "api/calls.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/file/poll.h"
#include "kernel/mem/user.h"
#include "kernel/signal/signal.h"

/* The mask is the file's `priv`: bit n-1 for signal n. */
static uint64_t mask_of(const struct file *file)
{
	return (uint64_t)file->priv;
}

static bool has_signal(const struct file *file)
{
	const struct task *task = current_task();

	return (task->pending | task->process->pending) & mask_of(file);
}

/* Fills in the fields for the signal's kind. */
static void fill(struct signalfd_siginfo *out, const siginfo_t *info)
{
	out->ssi_signo = (uint32_t)info->si_signo;
	out->ssi_errno = info->si_errno;
	out->ssi_code = info->si_code;
	if (info->si_code == SI_TIMER) {
		out->ssi_tid = (uint32_t)info->si_tid;
		out->ssi_overrun = (uint32_t)info->si_overrun;
	} else if (info->si_code > 0 && info->si_code < SI_KERNEL && info->si_signo != SIGCHLD &&
		   (info->si_signo == SIGIO || info->si_signo >= SIGNAL_RT)) {
		out->ssi_band = (uint32_t)info->si_band;
		out->ssi_fd = info->si_fd;
		return;
	} else {
		out->ssi_pid = (uint32_t)info->si_pid;
		out->ssi_uid = info->si_uid;
	}
	if (info->si_signo == SIGCHLD && info->si_code > 0) {
		out->ssi_status = info->si_status;
		out->ssi_utime = (uint64_t)info->si_utime;
		out->ssi_stime = (uint64_t)info->si_stime;
	} else if (info->si_code < 0) {
		out->ssi_ptr = (uint64_t)info->si_ptr;
		out->ssi_int = info->si_int;
	}
}

/* Takes one signal; sleeps for it when `sleep`: 1, -EAGAIN or -EINTR. */
static int signalfd_take(struct file *file, bool sleep, struct signalfd_siginfo *out)
{
	siginfo_t info;
	struct waiter waiter;
	int err = 0, signo = signal_take(mask_of(file), &info);

	if (!signo && !sleep)
		return -EAGAIN;
	if (!signo) {
		waitq_add(&signal_arrivals, &waiter);
		while (!(signo = signal_take(mask_of(file), &info)) && !err)
			err = waitq_sleep(WAITQ_FOREVER);
		waitq_remove(&waiter);
	}
	if (!signo)
		return err;
	fill(out, &info);
	return 1;
}

static long signals_read(struct file *file, uint64_t buffer, size_t bytes, uint64_t *offset)
{
	size_t done = 0;
	int result = 0;

	(void)offset;
	if (bytes < sizeof(struct signalfd_siginfo))
		return -EINVAL;
	while (bytes - done >= sizeof(struct signalfd_siginfo)) {
		struct signalfd_siginfo info = {0};

		result = signalfd_take(file, !done && !(file->flags & O_NONBLOCK), &info);
		if (result > 0 && copy_to_user(buffer + done, &info, sizeof(info)))
			result = -EFAULT;
		if (result < 0)
			break;
		done += sizeof(info);
	}
	return done ? (long)done : result;
}

static unsigned signals_poll(struct file *file, struct poll_table *table)
{
	poll_wait(table, &signal_arrivals);
	return has_signal(file) ? POLLIN : 0;
}

static const struct file_ops signals_ops = {
    .name = "[signalfd]",
    .read = signals_read,
    .poll = signals_poll,
};

static long change_mask(uint64_t fd, uint64_t mask)
{
	struct file *file = fd_get_open((int)fd);
	long result = -EINVAL;

	if (!file)
		return -EBADF;
	if (file->ops == &signals_ops) {
		file->priv = (void *)mask;
		waitq_wake(&signal_arrivals);
		result = (int)fd;
	}
	file_put(file);
	return result;
}

long sys_signalfd4(uint64_t fd, uint64_t mask_user, uint64_t size, uint64_t flags)
{
	struct file *file;
	uint64_t mask;
	int new;

	if (size != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, mask_user, sizeof(mask)))
		return -EFAULT;
	if (flags & ~(uint64_t)(SFD_CLOEXEC | SFD_NONBLOCK))
		return -EINVAL;
	mask &= ~SIGNALS_UNBLOCKABLE;
	if ((int)fd != -1)
		return change_mask(fd, mask);
	file = file_new(&signals_ops, (void *)mask, O_RDWR | (flags & SFD_NONBLOCK));
	if (!file)
		return -ENOMEM;
	new = fd_install(file, 0, !!(flags & SFD_CLOEXEC));
	if (new < 0)
		file_put(file);
	return new;
}

long sys_signalfd(uint64_t fd, uint64_t mask_user, uint64_t size)
{
	return sys_signalfd4(fd, mask_user, size, 0);
}
