/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of files that became ready: fcntl(2), F_SETOWN and F_SETSIG. */
#include <asm/poll.h>
#include <linux/fcntl.h>
#include "kernel/file/file.h"
#include "kernel/file/sigio.h"
#include "kernel/signal/signal.h"

/* Returns the si_code of a band. */
static int band_code(unsigned band)
{
	if (band & POLLHUP)
		return POLL_HUP;
	if (band & POLLERR)
		return POLL_ERR;
	return band & POLLIN ? POLL_IN : POLL_OUT;
}

/* True if the file's owner number designates this task. */
static bool is_owner(const struct file *file, const struct task *task)
{
	if (file->owner_type == F_OWNER_TID)
		return task->pid == file->owner;
	if (task != task->process->leader)
		return false;
	return file->owner < 0 ? task->process->pgid == -file->owner : task->pid == file->owner;
}

/* True if the task that set the owner may signal this task. */
static bool is_permitted(const struct file *file, const struct task *task)
{
	const struct ids *uid = &task->cred.uid;

	return !file->owner_euid || file->owner_euid == uid->saved ||
	       file->owner_euid == uid->real || file->owner_uid == uid->saved ||
	       file->owner_uid == uid->real;
}

void file_send_sigio(struct file *file, unsigned band, int fd)
{
	siginfo_t info = {.si_signo = file->signo ? file->signo : SIGIO, .si_code = SI_KERNEL};
	struct task *task;

	if (!(file->flags & FASYNC) || !file->owner)
		return;
	if (file->signo) {
		info.si_code = band_code(band);
		info.si_band = band;
		info.si_fd = fd < 0 ? file->async_fd : fd;
	}
	list_for_each(task, &all_tasks, task_link) {
		if (!is_owner(file, task) || !is_permitted(file, task))
			continue;
		/* A realtime signal becomes SIGIO if there is no memory, as in fcntl(2). */
		if (signal_queue(task, file->owner_type != F_OWNER_TID, &info)) {
			info = (siginfo_t){.si_signo = SIGIO, .si_code = SI_KERNEL};
			signal_queue(task, file->owner_type != F_OWNER_TID, &info);
		}
	}
}
