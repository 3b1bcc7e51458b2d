/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for children: wait4 and waitid. */
#include <linux/errno.h>
#include <linux/wait.h>
#include "kernel/base/patched.h"
#include "kernel/process/process.h"
#include "kernel/process/trace.h"
#include "kernel/signal/signal.h"
#include "kernel/task/pids.h"

static bool matches(const struct wait_request *request, const struct task *child)
{
	bool is_clone = child->exit_signal != SIGCHLD;

	if (!is_traced_by(child, current_task()->process) && !(request->options & __WALL) &&
	    is_clone != !!(request->options & __WCLONE))
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

/* Adds the zombie's usage to the parent's, and frees the zombie. */
static void reap(struct process *parent, struct task *child)
{
	struct usage usage;

	if (is_traced(child))
		trace_reaped(child);
	process_usage(child->process, &usage);
	usage_add(&parent->children, &usage);
	usage_add(&parent->children, &child->process->children);
	task_unlink(child);
	task_put(child);
}

/* Reports an event of this child, if it has one. */
static bool try_child(struct wait_request *request, struct task *child)
{
	struct process *process = child->process;
	bool keep = request->options & WNOWAIT, own = is_traced_by(child, current_task()->process);

	if (request->options & WEXITED && !process->live && child->state == TASK_ZOMBIE &&
	    (own || !is_traced(child))) {
		answer(request, child, status_code(child->exit_status), child->exit_status);
		if (!keep)
			reap(current_task()->process, child);
		return true;
	}
	if (request->options & WUNTRACED && process->stopped && !process->stop_reported && !own) {
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

/* True if the request's options leave nothing to wait for: the child has ended, and only its end
 * could still be reported. */
static bool is_over(const struct wait_request *request, const struct task *child)
{
	bool own = is_traced_by(child, current_task()->process);
	bool leader = child->process->leader == child;

	return !(request->options & WEXITED) && child->state == TASK_ZOMBIE &&
	       !(leader && child->process->live) && (own || !is_traced(child));
}

/* Reports an event of a tracee that stopped, or that ended and is not a child of the current
 * process. */
static bool try_tracee(struct wait_request *request, struct task *task)
{
	struct tracee *trace = task->trace;
	struct process *process = task->process;
	bool keep = request->options & WNOWAIT, leader = process->leader == task;

	if (trace->stopped && !trace->reported) {
		answer(request, task, CLD_TRAPPED, (int)(trace->code << 8 | 0x7f));
		trace->reported = !keep;
		return true;
	}
	if (task->state != TASK_ZOMBIE || !(request->options & WEXITED) ||
	    (leader && process->live) ||
	    (leader && task->parent == current_task()->process->leader))
		return false;
	answer(request, task, status_code(task->exit_status), task->exit_status);
	if (!keep) {
		trace_reaped(task);
		process_untraced_zombie(task);
	}
	return true;
}

/* As try_list(), for all tracees of the current process's threads. */
static int try_tracees(struct wait_request *request)
{
	struct process *process = current_task()->process;
	struct task *thread;
	struct tracee *trace;
	int result = -ECHILD;

	list_for_each(thread, &process->threads, thread_link) {
		if (request->options & __WNOTHREAD && thread != current_task())
			continue;
		list_for_each(trace, &thread->trace_news, link) {
			if (!matches(request, trace->task))
				continue;
			if (try_tracee(request, trace->task))
				return 1;
			if (!is_over(request, trace->task))
				result = 0;
		}
		list_for_each(trace, &thread->tracees, link) {
			if (result != -ECHILD)
				break;
			if (matches(request, trace->task) && !is_over(request, trace->task))
				result = 0;
		}
	}
	return result;
}

/* Searches one list: 1: reported an event, 0: matching children have none, -ECHILD: no match.
 * `all`: any child may have an event; otherwise only the first does. */
static int try_list(struct wait_request *request, struct list *children, bool all)
{
	struct task *child, *next;
	int result = -ECHILD;

	list_for_each_safe(child, next, children, sibling) {
		if (!matches(request, child))
			continue;
		if (try_child(request, child))
			return 1;
		if (!is_over(request, child))
			result = 0;
		if (!all)
			break;
	}
	return result;
}

/* Tries the one requested child. */
static int try_one(struct wait_request *request, const struct task *leader)
{
	struct task *child = task_find(request->id);
	int result = -ECHILD;

	if (child && is_traced_by(child, current_task()->process))
		result = try_tracee(request, child);
	if (child && result <= 0 && child->parent == leader && child->process->leader == child &&
	    matches(request, child))
		result = try_child(request, child);
	if (child && !result && is_over(request, child))
		result = -ECHILD;
	if (child)
		task_put(child);
	return result;
}

/* As try_list(), for all children. */
static int try_children(struct wait_request *request)
{
	struct task *leader = current_task()->process->leader;
	bool all = request->options & (WUNTRACED | WCONTINUED);
	int ended, live, traced;

	if (request->type == P_PID)
		return try_one(request, leader);
	traced = try_tracees(request);
	if (traced > 0)
		return traced;
	ended = try_list(request, &leader->zombies, true);
	if (ended > 0)
		return ended;
	live = try_list(request, &leader->children, all);
	if (live > 0 || (ended == -ECHILD && traced == -ECHILD))
		return live;
	return 0;
}

PATCHED_FUNCTION int process_wait(struct wait_request *request)
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
