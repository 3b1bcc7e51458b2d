/* SPDX-License-Identifier: BSD-2-Clause */
/* Parting from what a process shares: unshare(2), setns(2). There is one namespace of each kind, as
 * on a Linux without them. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/sched.h>
#include "api/calls.h"
#include "kernel/base/hooks.h"
#include "kernel/fs/descriptor_table.h"
#include "kernel/fs/cwd.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/permission.h"
#include "kernel/ipc/pidfd.h"
#include "kernel/task/cred.h"
#include "kernel/task/namespaces.h"
#include "kernel/task/task.h"

#define NAMESPACES                                                                    \
	(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | \
	 CLONE_NEWTIME | CLONE_NEWUSER | CLONE_NEWUTS)

long sys_unshare(uint64_t flags)
{
	const uint64_t known = CLONE_THREAD | CLONE_FS | CLONE_SIGHAND | CLONE_VM | CLONE_FILES |
			       CLONE_SYSVSEM | NAMESPACES;
	struct task *task = current_task();
	long err = 0;

	if (flags & ~known)
		return -EINVAL;
	/* What threads share only a process with one thread has for itself. */
	if (flags & (CLONE_THREAD | CLONE_SIGHAND | CLONE_VM) && task->process->live > 1)
		return -EINVAL;
	if (flags & NAMESPACES & ~(uint64_t)CLONE_NEWUSER && !(flags & CLONE_NEWUSER) &&
	    !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (flags & NAMESPACES)
		return -EINVAL;
	if (flags & CLONE_FS)
		err = cwd_unshare(&task->cwd);
	if (!err && flags & CLONE_FILES)
		err = files_unshare(&task->files);
	if (!err && perf_hooks.namespaces)
		perf_hooks.namespaces(task);
	return err;
}

/* The kinds of namespaces that a descriptor and `kinds` ask for, or a negative errno. */
static long kinds_asked(const struct file *file, uint64_t kinds)
{
	const struct namespace *namespace = namespace_of_file(file);
	const struct task *other = pidfd_task(file);

	if (namespace)
		return kinds && kinds != namespace->kind ? -EINVAL : (long)namespace->kind;
	if (!other || !kinds || kinds & ~(uint64_t)NAMESPACES)
		return -EINVAL;
	if (other->state >= TASK_ZOMBIE)
		return -ESRCH;
	return may_inspect(other, false) ? (long)kinds : -EPERM;
}

/* Into the namespaces where the task is already: in that of mounts it is at the root then. */
static long join(uint64_t kinds)
{
	struct task *task = current_task();

	/* As on Linux, so that nobody gains capabilities. */
	if (kinds & CLONE_NEWUSER)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN) || (kinds & CLONE_NEWNS && !capable(CAP_SYS_CHROOT)))
		return -EPERM;
	if (kinds & CLONE_NEWNS && task->cwd->refs > 1)
		return -EINVAL;
	if (kinds & CLONE_NEWTIME && task->process->live > 1)
		return -EUSERS;
	if (kinds & CLONE_NEWNS)
		cwd_go_to(task->cwd, root_inode);
	if (perf_hooks.namespaces)
		perf_hooks.namespaces(task);
	return 0;
}

long sys_setns(uint64_t fd, uint64_t kinds)
{
	struct file *file = fd_get((int)fd);
	long err = -EBADF;

	if (!file)
		return -EBADF;
	if (!(file->flags & O_PATH))
		err = kinds_asked(file, (uint32_t)kinds);
	file_put(file);
	return err < 0 ? err : join((uint64_t)err);
}
