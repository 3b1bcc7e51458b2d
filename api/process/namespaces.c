/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaving shared state: unshare(2), setns(2). There is one namespace of each kind, as on a Linux
 * without namespaces, except UTS namespaces. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/sched.h>
#include "api/calls.h"
#include "kernel/base/hooks.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/fs/permission.h"
#include "kernel/ipc/pidfd.h"
#include "kernel/procfs/proc.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/membership/namespaces.h"
#include "kernel/task/task.h"

long sys_unshare(uint64_t flags)
{
	const uint64_t known = CLONE_THREAD | CLONE_FS | CLONE_SIGHAND | CLONE_VM | CLONE_FILES |
			       CLONE_SYSVSEM | NAMESPACE_FLAGS;
	struct task *task = current_task();
	struct uts *uts = NULL;
	long err;

	if (flags & ~known)
		return -EINVAL;
	/* Only a process with one thread may unshare state that threads must share. */
	if (flags & (CLONE_THREAD | CLONE_SIGHAND | CLONE_VM) && task->process->live > 1)
		return -EINVAL;
	err = namespaces_may_part(flags);
	if (!err && flags & CLONE_NEWUTS) {
		uts = uts_copy(uts_of(task));
		err = uts ? 0 : -ENOMEM;
	}
	if (!err && flags & CLONE_FS)
		err = cwd_unshare(&task->cwd);
	if (!err && flags & CLONE_FILES)
		err = files_unshare(&task->files);
	if (err) {
		uts_put(uts);
		return err;
	}
	if (uts)
		uts_enter(uts);
	if (perf_hooks.namespaces)
		perf_hooks.namespaces(task);
	return 0;
}

/* Returns the kinds of namespaces selected by a descriptor and `kinds`, or a negative errno.
 * `*uts`: the descriptor's UTS namespace. */
static long kinds_requested(const struct file *file, uint64_t kinds, struct uts **uts)
{
	const struct namespace *namespace = namespace_of_file(file);
	const struct task *other = pidfd_task(file);

	if (namespace) {
		*uts = uts_of_file(file);
		return kinds && kinds != namespace->kind ? -EINVAL : (long)namespace->kind;
	}
	if (!other || !kinds || kinds & ~(uint64_t)NAMESPACE_FLAGS)
		return -EINVAL;
	if (other->state >= TASK_ZOMBIE)
		return -ESRCH;
	*uts = uts_of(other);
	return may_inspect(other, false) ? (long)kinds : -EPERM;
}

/* Enters the UTS namespace, and the others, where the task already is: for the mount namespace it
 * goes to the root. */
static long join(uint64_t kinds, struct uts *uts)
{
	struct task *task = current_task();

	/* As on Linux, to prevent gaining capabilities. */
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
	if (kinds & CLONE_NEWUTS)
		uts_enter(uts_get(uts));
	if (perf_hooks.namespaces)
		perf_hooks.namespaces(task);
	return 0;
}

long sys_setns(uint64_t fd, uint64_t kinds)
{
	struct file *file = fd_get((int)fd);
	struct uts *uts = NULL;
	long result = -EBADF;

	if (!file)
		return -EBADF;
	if (!(file->flags & O_PATH))
		result = kinds_requested(file, (uint32_t)kinds, &uts);
	if (result >= 0)
		result = join((uint64_t)result, uts);
	file_put(file);
	return result;
}
