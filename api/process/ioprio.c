/* SPDX-License-Identifier: BSD-2-Clause */
/* Priorities of input and output: ioprio_set(2), ioprio_get(2). They are stored and returned; no
 * request is scheduled by them. */
#include <linux/errno.h>
#include <linux/ioprio.h>
#include "api/calls.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/task.h"

/* True if the request selects the task. */
static bool is_meant(const struct task *task, uint64_t which, int who)
{
	const struct task *own = current_task();

	switch (which) {
	case IOPRIO_WHO_PROCESS:
		return task->pid == (who ? who : own->pid);
	case IOPRIO_WHO_PGRP:
		return task->process->pgid == (who ? who : own->process->pgid);
	default:
		return task->cred.uid.real == (who ? (uint32_t)who : own->cred.uid.real);
	}
}

static bool is_kind(uint64_t which)
{
	return which >= IOPRIO_WHO_PROCESS && which <= IOPRIO_WHO_USER;
}

/* Checks a new priority: 0, -EINVAL or -EPERM. */
static int check(int priority)
{
	switch (IOPRIO_PRIO_CLASS(priority)) {
	case IOPRIO_CLASS_RT:
		return capable(CAP_SYS_NICE) || capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
	case IOPRIO_CLASS_BE:
	case IOPRIO_CLASS_IDLE:
		return 0;
	case IOPRIO_CLASS_NONE:
		return priority & (IOPRIO_NR_LEVELS - 1) ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

static int set(struct task *task, int priority)
{
	const struct ids *own = &current_task()->cred.uid;
	uint32_t uid = task->cred.uid.real;

	if (uid != own->effective && uid != own->real && !capable(CAP_SYS_NICE))
		return -EPERM;
	task->io_priority = (uint16_t)priority;
	return 0;
}

long sys_ioprio_set(uint64_t which, uint64_t who, uint64_t value)
{
	int priority = (int)value, err = check(priority);
	struct task *task;
	long result = -ESRCH;

	if (err)
		return err;
	if (!is_kind(which))
		return -EINVAL;
	list_for_each(task, &all_tasks, task_link) {
		if (!is_meant(task, which, (int)who))
			continue;
		result = set(task, priority);
		if (result)
			break;
	}
	return result;
}

/* Returns the higher of two priorities: the lower number, in which no class is the lowest. */
static long best_of(long one, long other)
{
	return one < other ? one : other;
}

long sys_ioprio_get(uint64_t which, uint64_t who)
{
	struct task *task;
	long result = -ESRCH;

	if (!is_kind(which))
		return -EINVAL;
	list_for_each(task, &all_tasks, task_link)
		if (is_meant(task, which, (int)who))
			result = result == -ESRCH ? task->io_priority
						  : best_of(result, task->io_priority);
	return result;
}
