/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for children: wait4 and waitid. */
#include <linux/errno.h>
#include <linux/wait.h>
#include "kernel/process/process.h"
#include "kernel/signal/signal.h"

static bool matches(const struct wait_request *request, const struct task *child)
{
	bool is_clone = child->exit_signal != SIGCHLD;

	if (!(request->options & __WALL) && is_clone != !!(request->options & __WCLONE))
		return false;
	switch (request->type) {
	case P_PID:
		return child->pid == request->id;
	case P_PGID:
		return child->process->pgid == request->id;
	default:
		return true;
	}
}

static void answer(struct wait_request *request, struct task *child, int code, int status)
{
	request->pid = child->pid;
	request->uid = child->cred.uid.real;
	request->code = code;
	request->status = status;
	process_usage(child->process, &request->usage);
	usage_add(&request->usage, &child->process->children);
}

/* The zombie's usage goes to the parent, and the zombie goes. */
static void reap(struct process *parent, struct task *child)
{
	struct usage usage;

	process_usage(child->process, &usage);
	usage_add(&parent->children, &usage);
	usage_add(&parent->children, &child->process->children);
	task_unlink(child);
	task_put(child);
}

/* Answers from this child if there is something to tell. */
static bool try_child(struct wait_request *request, struct task *child)
{
	struct process *process = child->process;
	bool keep = request->options & WNOWAIT;

	if (request->options & WEXITED && !process->live && child->state == TASK_ZOMBIE) {
		answer(request, child, child->exit_status & 0x7f ? CLD_KILLED : CLD_EXITED,
		       child->exit_status);
		if (!keep)
			reap(current_task()->process, child);
		return true;
	}
	if (request->options & WUNTRACED && process->stopped && !process->stop_reported) {
		answer(request, child, CLD_STOPPED, process->stop_signal << 8 | 0x7f);
		process->stop_reported = !keep;
		return true;
	}
	if (request->options & WCONTINUED && process->continued) {
		answer(request, child, CLD_CONTINUED, 0xffff);
		process->continued = keep;
		return true;
	}
	return false;
}

/* Looks at all children: 1 answered, 0 there are some but nothing to tell, -ECHILD. */
static int try_children(struct wait_request *request)
{
	struct task *leader = current_task()->process->leader, *child, *next;
	int result = -ECHILD;

	list_for_each_safe(child, next, &leader->children, sibling) {
		if (!matches(request, child))
			continue;
		if (try_child(request, child))
			return 1;
		result = 0;
	}
	return result;
}

int process_wait(struct wait_request *request)
{
	struct waiter waiter;
	int result, err = 0;

	waitq_add(&current_task()->process->leader->child_exit, &waiter);
	for (;;) {
		result = try_children(request);
		if (result || request->options & WNOHANG || err)
			break;
		err = waitq_sleep(WAITQ_FOREVER);
	}
	waitq_remove(&waiter);
	return result < 0 ? result : result ? 0 : err;
}
