/* SPDX-License-Identifier: BSD-2-Clause */
/* Resource limits: getrlimit(2), setrlimit(2), prlimit(2). */
#include <linux/errno.h>
#include <linux/resource.h>
#include "api/calls.h"
#include "kernel/mem/space.h"
#include "kernel/mem/user.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"

#define NR_LIMITS 16

/* Sets a limit: 0, -EINVAL (soft above hard), -EPERM. */
static int set_limit(struct task *task, const struct rlimit64 *new, unsigned resource)
{
	uint64_t *limit = task->process->limits[resource];

	if (new->rlim_cur > new->rlim_max)
		return -EINVAL;
	if (resource == RLIMIT_NOFILE && new->rlim_max > 1ul << 20)
		return -EPERM;
	if (new->rlim_max > limit[1] && !capable(CAP_SYS_RESOURCE))
		return -EPERM;
	limit[0] = new->rlim_cur;
	limit[1] = new->rlim_max;
	if (resource == RLIMIT_STACK && task->mm)
		task->mm->stack_limit = new->rlim_cur;
	return resource == RLIMIT_CPU ? interval_limit(task->process) : 0;
}

/* True if the current task may read and set the process's limits: all ids equal its own. */
static bool limits_permitted(const struct process *process)
{
	const struct cred *own = &current_task()->cred, *other = &process->leader->cred;
	const struct ids *uid = &other->uid, *gid = &other->gid;

	if (process == current_task()->process || capable(CAP_SYS_RESOURCE))
		return true;
	return uid->real == own->uid.real && uid->effective == own->uid.real &&
	       uid->saved == own->uid.real && gid->real == own->gid.real &&
	       gid->effective == own->gid.real && gid->saved == own->gid.real;
}

long sys_prlimit64(uint64_t pid, uint64_t resource, uint64_t new_user, uint64_t old_user)
{
	struct task *task;
	struct rlimit64 new, old;
	uint64_t *limit;
	int err = 0;

	if (resource >= NR_LIMITS)
		return -EINVAL;
	if (new_user && copy_from_user(&new, new_user, sizeof(new)))
		return -EFAULT;
	task = task_find(pid ? (int)pid : current_task()->pid);
	if (!task)
		return -ESRCH;
	if (!limits_permitted(task->process)) {
		task_put(task);
		return -EPERM;
	}
	limit = task->process->limits[resource];
	old.rlim_cur = limit[0];
	old.rlim_max = limit[1];
	if (new_user)
		err = set_limit(task, &new, (unsigned)resource);
	task_put(task);
	if (!err && old_user)
		err = copy_to_user(old_user, &old, sizeof(old));
	return err;
}

long sys_getrlimit(uint64_t resource, uint64_t user)
{
	return sys_prlimit64(0, resource, 0, user);
}

long sys_setrlimit(uint64_t resource, uint64_t user)
{
	return user ? sys_prlimit64(0, resource, user, 0) : -EFAULT;
}
