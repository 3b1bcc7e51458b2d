/* SPDX-License-Identifier: BSD-2-Clause */
/* Parting from what a process shares: unshare(2), setns(2). There is one namespace of each kind, as
 * on a Linux without them. */
#include <linux/errno.h>
#include <linux/sched.h>
#include "api/calls.h"
#include "kernel/base/hooks.h"
#include "kernel/fs/descriptor_table.h"
#include "kernel/task/cred.h"
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
	if (flags & (CLONE_FILES | CLONE_FS))
		err = files_unshare(&task->files);
	if (!err && perf_hooks.namespaces)
		perf_hooks.namespaces(task);
	return err;
}

long sys_setns(uint64_t fd, uint64_t kinds)
{
	struct file *file = fd_get((int)fd);

	(void)kinds;
	if (!file)
		return -EBADF;
	file_put(file);
	return -EINVAL;
}
