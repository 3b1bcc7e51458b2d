/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks by number. */
#include "kernel/process/pids.h"
#include "kernel/process/process.h"
#include "kernel/task/task.h"

#define PID_LAST    4194303
#define PID_BUCKETS 4096

static int last_pid;

static struct task *by_pid[PID_BUCKETS]; /* all tasks that can be found */

static struct task **bucket_of(int pid)
{
	return &by_pid[(unsigned)pid % PID_BUCKETS];
}

static struct task *look_up(int pid)
{
	struct task *task = *bucket_of(pid);

	while (task && task->pid != pid)
		task = task->pid_next;
	return task;
}

struct task *task_find(int pid)
{
	struct task *task = look_up(pid);

	if (task)
		task_get(task);
	return task;
}

void pid_insert(struct task *task)
{
	struct task **bucket = bucket_of(task->pid);

	task->pid_next = *bucket;
	*bucket = task;
}

/* Harmless when the task cannot be found. */
void task_hide(struct task *task)
{
	struct task **link = bucket_of(task->pid);

	while (*link && *link != task)
		link = &(*link)->pid_next;
	if (*link)
		*link = task->pid_next;
}

void task_number(struct task *task, int pid)
{
	task_hide(task);
	task->pid = pid;
	pid_insert(task);
}

int pid_new(void)
{
	do {
		last_pid = last_pid >= PID_LAST ? 2 : last_pid + 1;
	} while (look_up(last_pid));
	return last_pid;
}
