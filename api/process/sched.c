/* SPDX-License-Identifier: BSD-2-Clause */
/* Processors of tasks: sched_setaffinity(2), sched_yield(2), getcpu(2). Policies and priorities:
 * sched_setscheduler(2), sched_setattr(2), setpriority(2); these are stored and returned, but all
 * tasks are scheduled alike. */
#include <linux/errno.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include "api/calls.h"
#include "api/time/clock.h"
#include "api/versioned.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/user.h"
#include "kernel/process/process.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/pids.h"
#include "kernel/task/sched.h"

#define PRIORITY_MAX 99
#define NICE_LEAST   (-20)
#define NICE_MAX     19
#define ROUND_NS     100000000 /* Linux's turn of SCHED_RR */
#define TURN_NS      4000000
#define KEEP_POLICY  (-1)

static bool is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool is_policy(int policy)
{
	return policy == SCHED_NORMAL || policy == SCHED_BATCH || policy == SCHED_IDLE ||
	       is_realtime(policy);
}

/* Finds the task of a call, 0 being the caller, with a reference: 0, -EINVAL, -ESRCH. */
static int target(uint64_t pid, struct task **task)
{
	if ((int)pid < 0)
		return -EINVAL;
	*task = task_find(pid ? (int)pid : current_task()->pid);
	return *task ? 0 : -ESRCH;
}

static bool may_change(const struct task *task)
{
	uint32_t own = current_task()->cred.uid.effective;

	return own == task->cred.uid.effective || own == task->cred.uid.real ||
	       capable(CAP_SYS_NICE);
}

static long set_policy(struct task *task, int policy, int priority, int nice, bool reset)
{
	if (policy == KEEP_POLICY)
		policy = task->policy;
	if (!is_policy(policy) || priority < 0 || priority > PRIORITY_MAX ||
	    is_realtime(policy) != (priority != 0))
		return -EINVAL;
	if (!may_change(task) ||
	    ((is_realtime(policy) || nice < task->nice || (task->reset_on_fork && !reset)) &&
	     !capable(CAP_SYS_NICE)))
		return -EPERM;
	task->policy = (uint8_t)policy;
	task->priority = (uint8_t)priority;
	task->reset_on_fork = reset;
	if (!is_realtime(policy))
		task->nice = (int8_t)nice;
	return 0;
}

/* `flags`: SCHED_RESET_ON_FORK or 0. */
static long set_scheduler(uint64_t pid, int policy, int flags, uint64_t user)
{
	struct task *task;
	int priority;
	long result;

	if (!user || (int)pid < 0)
		return -EINVAL;
	if (copy_from_user(&priority, user, sizeof(priority)))
		return -EFAULT;
	result = target(pid, &task);
	if (result)
		return result;
	result = set_policy(task, policy, priority, task->nice,
			    policy == KEEP_POLICY ? task->reset_on_fork : flags);
	task_put(task);
	return result;
}

long sys_sched_setscheduler(uint64_t pid, uint64_t policy, uint64_t user)
{
	if ((int)policy < 0)
		return -EINVAL;
	return set_scheduler(pid, (int)policy & ~SCHED_RESET_ON_FORK,
			     (int)policy & SCHED_RESET_ON_FORK, user);
}

long sys_sched_setparam(uint64_t pid, uint64_t user)
{
	return set_scheduler(pid, KEEP_POLICY, 0, user);
}

long sys_sched_getscheduler(uint64_t pid)
{
	struct task *task;
	long result = target(pid, &task);

	if (result)
		return result;
	result = task->policy | (task->reset_on_fork ? SCHED_RESET_ON_FORK : 0);
	task_put(task);
	return result;
}

long sys_sched_getparam(uint64_t pid, uint64_t user)
{
	struct task *task;
	int priority, err;

	if (!user)
		return -EINVAL;
	err = target(pid, &task);
	if (err)
		return err;
	priority = task->priority;
	task_put(task);
	return copy_to_user(user, &priority, sizeof(priority));
}

long sys_sched_setattr(uint64_t pid, uint64_t user, uint64_t flags)
{
	struct sched_attr attr;
	struct task *task;
	uint32_t size;
	long result;

	if (!user || (int)pid < 0 || flags)
		return -EINVAL;
	if (copy_from_user(&size, user, sizeof(size)))
		return -EFAULT;
	if (!size)
		size = SCHED_ATTR_SIZE_VER0;
	if (size < SCHED_ATTR_SIZE_VER0 || size > 4096)
		return -E2BIG;
	result = copy_versioned(&attr, sizeof(attr), user, size);
	if (result)
		return result;
	result = target(pid, &task);
	if (result)
		return result;
	attr.sched_nice = attr.sched_nice < NICE_LEAST ? NICE_LEAST
			  : attr.sched_nice > NICE_MAX ? NICE_MAX
						       : attr.sched_nice;
	if (attr.sched_flags & ~(uint64_t)SCHED_FLAG_RESET_ON_FORK)
		result = -EINVAL;
	else
		result = set_policy(task, (int)attr.sched_policy, (int)attr.sched_priority,
				    attr.sched_nice, attr.sched_flags & SCHED_FLAG_RESET_ON_FORK);
	task_put(task);
	return result;
}

long sys_sched_getattr(uint64_t pid, uint64_t user, uint64_t size, uint64_t flags)
{
	struct sched_attr attr = {0};
	struct task *task;
	int err;

	if (!user || size > PAGE_SIZE || size < SCHED_ATTR_SIZE_VER0 || flags)
		return -EINVAL;
	err = target(pid, &task);
	if (err)
		return err;
	attr.size = (uint32_t)(size < sizeof(attr) ? size : sizeof(attr));
	attr.sched_policy = task->policy;
	attr.sched_flags = task->reset_on_fork ? SCHED_FLAG_RESET_ON_FORK : 0;
	attr.sched_priority = task->priority;
	attr.sched_nice = is_realtime(task->policy) ? 0 : task->nice;
	attr.sched_util_max = 1024;
	task_put(task);
	return copy_to_user(user, &attr, attr.size);
}

long sys_sched_get_priority_max(uint64_t policy)
{
	if (is_realtime((int)policy))
		return PRIORITY_MAX;
	return is_policy((int)policy) || policy == SCHED_DEADLINE ? 0 : -EINVAL;
}

long sys_sched_get_priority_min(uint64_t policy)
{
	if (is_realtime((int)policy))
		return 1;
	return is_policy((int)policy) || policy == SCHED_DEADLINE ? 0 : -EINVAL;
}

long sys_sched_rr_get_interval(uint64_t pid, uint64_t user)
{
	struct task *task;
	uint64_t ns;
	int err = target(pid, &task);

	if (err)
		return err;
	ns = task->policy == SCHED_RR ? ROUND_NS : task->policy == SCHED_FIFO ? 0 : TURN_NS;
	task_put(task);
	return ns_to_user(user, ns);
}

/* Nice values of a task, a process group, or a user: true if this task is selected. */

static bool is_meant(const struct task *task, uint64_t which, uint32_t who)
{
	const struct task *own = current_task();

	switch (which) {
	case PRIO_PROCESS:
		return task->pid == (who ? (int)who : own->pid);
	case PRIO_PGRP:
		return task->process->pgid == (who ? (int)who : own->process->pgid);
	default:
		return task->cred.uid.real == (who ? who : own->cred.uid.real);
	}
}

long sys_getpriority(uint64_t which, uint64_t who)
{
	struct task *task;
	long best = -ESRCH;

	if (which > PRIO_USER)
		return -EINVAL;
	list_for_each(task, &all_tasks, task_link)
		if (is_meant(task, which, (uint32_t)who) && NICE_MAX + 1 - task->nice > best)
			best = NICE_MAX + 1 - task->nice; /* as the raw call reports it */
	return best;
}

static long set_nice(struct task *task, int nice)
{
	if (!may_change(task))
		return -EPERM;
	if (nice < task->nice && !capable(CAP_SYS_NICE) &&
	    (uint64_t)(NICE_MAX + 1 - nice) > task->process->limits[RLIMIT_NICE][0])
		return -EACCES;
	task->nice = (int8_t)nice;
	return 0;
}

long sys_setpriority(uint64_t which, uint64_t who, uint64_t value)
{
	int nice = (int)value < NICE_LEAST ? NICE_LEAST
		   : (int)value > NICE_MAX ? NICE_MAX
					   : (int)value;
	struct task *task;
	long result = -ESRCH, one;

	if (which > PRIO_USER)
		return -EINVAL;
	list_for_each(task, &all_tasks, task_link) {
		if (!is_meant(task, which, (uint32_t)who))
			continue;
		one = set_nice(task, nice);
		if (one || result == -ESRCH)
			result = one;
	}
	return result;
}

long sys_sched_yield(void)
{
	sched_yield();
	return 0;
}

long sys_getcpu(uint64_t cpu, uint64_t node)
{
	const uint32_t numbers[2] = {this_cpu_read(id), this_cpu_read(node)};

	if (cpu && copy_to_user(cpu, &numbers[0], sizeof(numbers[0])))
		return -EFAULT;
	return node ? copy_to_user(node, &numbers[1], sizeof(numbers[1])) : 0;
}

/* Returns the task with a reference (0: the current one), or NULL. */
static struct task *task_of(uint64_t pid)
{
	return task_find(pid ? (int)pid : current_task()->pid);
}

long sys_sched_getaffinity(uint64_t pid, uint64_t bytes, uint64_t user)
{
	uint64_t size = cpu_mask_words() * sizeof(uint64_t);
	struct cpu_mask online, mask;
	struct task *task;

	if (bytes * 8 < nr_cpus || bytes % sizeof(uint64_t))
		return -EINVAL;
	task = task_of(pid);
	if (!task)
		return -ESRCH;
	online = cpus_online();
	mask = cpu_mask_both(&task->affinity, &online);
	task_put(task);
	return copy_to_user(user, &mask, size) ? -EFAULT : (long)size;
}

long sys_sched_setaffinity(uint64_t pid, uint64_t bytes, uint64_t user)
{
	struct task *task;
	struct cpu_mask mask = {0};
	long err = 0;

	if (copy_from_user(&mask, user, bytes < sizeof(mask) ? bytes : sizeof(mask)))
		return -EFAULT;
	task = task_of(pid);
	if (!task)
		return -ESRCH;
	if (!may_change(task))
		err = -EPERM;
	else if (cpu_mask_next(&mask, 0) >= nr_cpus)
		err = -EINVAL;
	else
		sched_set_affinity(task, &mask);
	task_put(task);
	return err;
}
