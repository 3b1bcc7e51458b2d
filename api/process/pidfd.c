/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of processes: pidfd_open(2), pidfd_send_signal(2), pidfd_getfd(2). */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include "api/calls.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/file/file.h"
#include "kernel/fs/permission.h"
#include "kernel/ipc/pidfd.h"
#include "kernel/mem/user.h"
#include "kernel/procfs/proc.h"
#include "kernel/signal/signal.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/pids.h"

long sys_pidfd_open(uint64_t pid, uint64_t flags)
{
	struct task *task;
	struct file *file;
	int fd;

	if (flags & ~(uint64_t)O_NONBLOCK || (int)pid <= 0)
		return -EINVAL;
	task = task_find((int)pid);
	if (!task)
		return -ESRCH;
	file = task->pid == task->tgid ? pidfd_file(task, (uint32_t)flags) : NULL;
	fd = task->pid == task->tgid ? -ENOMEM : -EINVAL;
	task_put(task);
	if (!file)
		return fd;
	fd = fd_install(file, 0, true);
	if (fd < 0)
		file_put(file);
	return fd;
}

static long send(struct task *leader, int signo, uint64_t info_user)
{
	siginfo_t info = {.si_signo = signo, .si_code = SI_USER};

	info.si_pid = current_task()->tgid;
	info.si_uid = current_task()->cred.uid.real;
	if (info_user) {
		if (copy_from_user(&info, info_user, sizeof(info)))
			return -EFAULT;
		if (info.si_signo != signo)
			return -EINVAL;
		if (leader != current_task()->process->leader &&
		    (info.si_code >= 0 || info.si_code == SI_TKILL))
			return -EPERM;
	}
	if ((unsigned)signo > NR_SIGNALS)
		return -EINVAL;
	if (leader->state == TASK_DEAD || list_empty(&leader->task_link))
		return -ESRCH;
	if (!may_signal(leader, signo))
		return -EPERM;
	return signo ? signal_queue(leader, true, &info) : 0;
}

/* Returns the process of a pidfd, or of a directory /proc/PID, referenced; NULL: another file. */
static struct task *process_of(const struct file *file)
{
	struct task *task = pidfd_task(file);

	if (!task)
		return file->inode ? proc_process_of(file->inode) : NULL;
	task_get(task);
	return task;
}

long sys_pidfd_send_signal(uint64_t fd, uint64_t signo, uint64_t info, uint64_t flags)
{
	struct file *file;
	struct task *task;
	long result = -EBADF;

	if (flags)
		return -EINVAL;
	file = fd_get_open((int)fd);
	if (!file)
		return -EBADF;
	task = process_of(file);
	if (task) {
		result = send(task, (int)signo, info);
		task_put(task);
	}
	file_put(file);
	return result;
}

/* Takes the other process's descriptor: its file, referenced, or NULL with *error. */
static struct file *file_of(const struct task *task, int fd, int *error)
{
	struct file *file = NULL;

	*error = -ESRCH;
	if (task->state >= TASK_ZOMBIE && !task->process->live)
		return NULL;
	*error = -EPERM;
	if (!may_inspect(task, false))
		return NULL;
	*error = -EBADF;
	if (task->files)
		file = files_get(task->files, fd);
	return file;
}

long sys_pidfd_getfd(uint64_t pidfd, uint64_t fd, uint64_t flags)
{
	struct file *process, *file;
	const struct task *task;
	int result = -EBADF;

	if (flags)
		return -EINVAL;
	process = fd_get_open((int)pidfd);
	if (!process)
		return -EBADF;
	task = pidfd_task(process);
	file = task ? file_of(task, (int)fd, &result) : NULL;
	file_put(process);
	if (!file)
		return result;
	result = fd_install(file, 0, true);
	if (result < 0)
		file_put(file);
	return result;
}
