/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks by number. */
#include "kernel/base/tree.h"
#include "kernel/task/pids.h"
#include "kernel/task/task.h"

#define PID_LAST 4194303

static bool before(const struct tree_node *a, const struct tree_node *b);

static int last_pid;

static struct tree by_pid = {.before = before}; /* all tasks that can be found */

static struct task *task_of(const struct tree_node *node)
{
	return container_of(node, struct task, pid_node);
}

static bool before(const struct tree_node *a, const struct tree_node *b)
{
	return task_of(a)->pid < task_of(b)->pid;
}

static struct task *look_up(int pid)
{
	struct tree_node *node = by_pid.root;

	while (node && task_of(node)->pid != pid)
		node = task_of(node)->pid < pid ? node->right : node->left;
	return node ? task_of(node) : NULL;
}

struct task *task_find(int pid)
{
	struct task *task = look_up(pid);

	if (task)
		task_get(task);
	return task;
}

const struct task *task_after(int pid)
{
	struct tree_node *node = by_pid.root, *found = NULL;

	while (node) {
		bool after = task_of(node)->pid > pid;

		if (after)
			found = node;
		node = after ? node->left : node->right;
	}
	return found ? task_of(found) : NULL;
}

bool pid_in_use(int pid)
{
	const struct task *task;

	if (look_up(pid))
		return true;
	list_for_each(task, &all_tasks, task_link)
		if (task->process && (task->process->pgid == pid || task->process->sid == pid))
			return true;
	return false;
}

int pid_newest(void)
{
	return last_pid;
}

void pid_insert(struct task *task)
{
	tree_insert(&by_pid, &task->pid_node);
}

/* Harmless if the task is not in the tree. */
void task_hide(struct task *task)
{
	if (tree_holds(&task->pid_node))
		tree_remove(&by_pid, &task->pid_node);
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
