/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of threads and processes. */
#include <linux/errno.h>
#include <linux/sched.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/hooks.h"
#include "kernel/file/descriptor_table.h"
#include "kernel/fs/path.h"
#include "kernel/ipc/futex.h"
#include "kernel/ipc/robust.h"
#include "kernel/ipc/sysv.h"
#include "kernel/mem/account.h"
#include "kernel/mem/user.h"
#include "kernel/process/first.h"
#include "kernel/process/process.h"
#include "kernel/process/trace.h"
#include "kernel/signal/interval_timers.h"
#include "kernel/signal/posix_timers.h"
#include "kernel/signal/signal.h"
#include "kernel/task/pids.h"
#include "kernel/task/sched.h"
#include "kernel/vm/vm.h"

void process_notify_parent(struct process *process, int code, int status)
{
	struct task *leader = process->leader, *parent = leader->parent;
	siginfo_t info = {.si_signo = leader->exit_signal, .si_code = code};
	struct usage usage;

	if (!parent)
		return;
	process_usage(process, &usage);
	info.si_pid = leader->pid;
	info.si_uid = leader->cred.uid.real;
	info.si_status = status;
	info.si_utime = (__kernel_clock_t)((usage.runtime_ns - usage.system_ns) / 10000000);
	info.si_stime = (__kernel_clock_t)(usage.system_ns / 10000000);
	if (code == CLD_STOPPED || code == CLD_CONTINUED)
		info.si_signo = SIGCHLD;
	if (info.si_signo)
		signal_queue(parent, true, &info);
	waitq_wake(&parent->child_exit);
}

/* True if the parent ignores SIGCHLD: the child vanishes at once. */
static bool parent_ignores(const struct task *leader)
{
	const struct signal_action *action;

	if (!leader->parent)
		return true;
	action = &leader->parent->process->actions->action[SIGCHLD - 1];
	return leader->exit_signal == SIGCHLD &&
	       (action->handler == (uint64_t)SIG_IGN || action->flags & SA_NOCLDWAIT);
}

void task_unlink(struct task *task)
{
	uint64_t flags = irq_save(); /* interrupts walk the lists to send signals */

	list_remove(&task->sibling);
	list_remove(&task->task_link);
	nr_all_tasks--;
	irq_restore(flags);
	task_hide(task);
	task->parent = NULL; /* it may be freed before the last reference to this task */
	account_give(task->charged_uid, ACCOUNT_TASKS, 1);
}

int status_code(int status)
{
	if (!(status & 0x7f))
		return CLD_EXITED;
	return status & WAIT_CORE ? CLD_DUMPED : CLD_KILLED;
}

static void notify_death(struct process *process)
{
	int status = process->leader->exit_status, code = status_code(status);

	process_notify_parent(process, code,
			      code == CLD_EXITED ? status >> 8 & 0xff : status & 0x7f);
}

/* Sends the parent-death signals to the threads of a child. */
static void notify_parents_death(struct process *child)
{
	siginfo_t info = {.si_code = SI_USER};
	struct task *task;

	info.si_pid = current_task()->tgid;
	info.si_uid = current_task()->cred.uid.real;
	list_for_each(task, &child->threads, thread_link) {
		info.si_signo = task->death_signal;
		if (info.si_signo)
			signal_queue(task, true, &info);
	}
}

/* Returns the new parent of a dead process's children: its nearest subreaper, or the first
 * process. */
static struct task *new_parent(struct task *leader)
{
	while ((leader = leader->parent))
		if (leader->process->subreaper && leader->process->live)
			return leader->process->leader;
	return first_task();
}

/* Sets a process's parent in all its threads. */
static void set_parent(struct task *leader, struct task *parent)
{
	struct task *task;

	leader->parent = parent;
	list_for_each(task, &leader->process->threads, thread_link)
		task->parent = parent;
}

/* Gives all children of one list to the parent's list. */
static void give_children(struct list *from, struct task *parent, struct list *to)
{
	struct task *child, *next;

	list_for_each_safe(child, next, from, sibling) {
		list_remove(&child->sibling);
		set_parent(child, parent);
		list_add_tail(to, &child->sibling);
	}
}

static void give_away_children(struct task *leader)
{
	struct task *first = new_parent(leader), *child, *next;

	list_for_each(child, &leader->children, sibling) {
		notify_parents_death(child->process);
		child->exit_signal = SIGCHLD;
	}
	give_children(&leader->children, first, &first->children);
	list_for_each_safe(child, next, &leader->zombies, sibling) {
		child->exit_signal = SIGCHLD;
		list_remove(&child->sibling);
		set_parent(child, first);
		list_add_tail(&first->zombies, &child->sibling);
		notify_death(child->process);
	}
}

/* Moves the leader to its parent's list of zombies. */
static void become_zombie(struct task *leader)
{
	uint64_t flags = irq_save();

	list_remove(&leader->sibling);
	if (leader->parent)
		list_add_tail(&leader->parent->zombies, &leader->sibling);
	irq_restore(flags);
}

/* Notifies the parent of the end. True if it ignores it: the caller owns the leader's last
 * reference. */
static bool notify_parent(struct task *leader)
{
	notify_death(leader->process);
	if (!parent_ignores(leader))
		return false;
	if (is_traced(leader))
		trace_reaped(leader);
	task_unlink(leader);
	return true;
}

/* The last thread is leaving: the process becomes a zombie, or vanishes. Returns true if the leader
 * can be freed. */
static bool process_end(struct process *process)
{
	struct task *leader = process->leader;

	if (process->exiting)
		leader->exit_status = process->exit_status;
	if (leader == first_task())
		first_ended(leader->exit_status);
	interval_cancel(process);
	posix_timers_free(process);
	if (process->undos)
		sem_process_exit(process);
	give_away_children(leader);
	become_zombie(leader);
	if (is_traced(leader) &&
	    !(leader->parent && is_traced_by(leader, leader->parent->process))) {
		trace_zombie(leader); /* the parent learns of it when the tracer has */
		return false;
	}
	return notify_parent(leader);
}

/* Accounts for a thread that no longer needs reaping. True: it was the last, and the caller must
 * drop the leader's reference. */
static bool thread_gone(struct process *process)
{
	process->live--;
	waitq_wake(&process->changes);
	return !process->live && process_end(process);
}

void process_untraced_zombie(struct task *task)
{
	struct process *process = task->process;
	struct task *leader = process->leader;

	if (task == leader) {
		if (!process->live && notify_parent(leader))
			task_put(leader);
		return;
	}
	task_unlink(task);
	if (thread_gone(process))
		task_put(leader);
	task_put(task);
}

/* Thread exit: clears the tid word in shared memory and wakes pthread_join() through its futex. */
static void clear_child_tid(struct task *task)
{
	const uint32_t zero = 0;

	if (!task->clear_child_tid || task->mm->refs == 1)
		return;
	if (copy_to_user(task->clear_child_tid, &zero, sizeof(zero)) == 0)
		futex_wake(task->clear_child_tid, 1, ~0u, true);
}

/* Closes the descriptors of a large table that no other task shares; other tasks run in between. */
static void close_many(const struct files *files)
{
	if (files->refs > 1 || files->size <= CLOSE_AT_ONCE)
		return;
	for (unsigned fd = 0; fd < files->size; fd++) {
		fd_close(fd);
		if (fd % CLOSE_AT_ONCE == CLOSE_AT_ONCE - 1)
			sched_pause();
	}
}

void task_exit(int status)
{
	struct task *task = current_task();
	struct process *process = task->process;

	trace_event(PTRACE_EVENT_EXIT, (uint64_t)status);
	task->exit_status = status;
	trace_tracer_exit(task);
	if (perf_hooks.exit)
		perf_hooks.exit(task);
	robust_list_exit(task);
	clear_child_tid(task);
	task_leave_vfork(task);
	close_many(task->files);
	mm_switch(NULL);
	files_put(task->files);
	task->files = NULL;
	cwd_put(task->cwd);
	task->cwd = NULL;
	irq_disable();
	list_remove(&task->thread_link);
	task_account_exit(task);
	irq_enable();
	signal_hand_over(~task->blocked);
	task->state = TASK_ZOMBIE;
	if (process->leader != task && is_traced(task)) {
		trace_zombie(task); /* it counts until its tracer has seen it */
		sched_exit();
	}
	if (thread_gone(process)) {
		if (process->leader != task)
			task_put(process->leader);
		else
			task->state = TASK_DEAD;
	}
	if (process->leader != task) {
		task_unlink(task);
		task->state = TASK_DEAD;
	}
	sched_exit();
}

void process_ends(int status)
{
	struct process *process = current_task()->process;

	if (process->exiting && !process->survivor)
		return;
	process->exiting = true;
	process->survivor = NULL;
	process->exit_status = status;
	tracees_release(process);
	process_poke(process);
}

void process_exit(int status)
{
	process_ends(status);
	task_exit(current_task()->process->exit_status);
}

/* The thread takes over the leader's role and pid; the old leader becomes a zombie without a
 * process. */
static void become_leader(struct task *task, struct task *old)
{
	int pid = task->pid;

	task->process->leader = task;
	task_number(old, 0);
	task_number(task, task->tgid);
	task_number(old, pid);
	task->parent = old->parent;
	task->exit_signal = old->exit_signal;
	task->start_ns = old->start_ns;
	list_insert_between(&task->sibling, &old->sibling, old->sibling.next);
	give_children(&old->children, task, &task->children);
	give_children(&old->zombies, task, &task->zombies);
	if (is_traced(old))
		trace_reaped(old);
	task_unlink(old);
	task_put(old);
}

int process_become_single(void)
{
	struct task *task = current_task();
	struct process *process = task->process;
	struct waiter waiter;
	int err = 0;

	if (process->live > 1) {
		if (process->exiting)
			return -EINTR;
		process->survivor = task;
		process->exiting = true;
		tracees_release(process);
		process_poke(process);
		waitq_add(&process->changes, &waiter);
		while (process->live > 1 && !err)
			err = waitq_sleep_killable();
		waitq_remove(&waiter);
		if (err || process->survivor != task) /* killed while it slept */
			return err ? err : -EINTR;
		process->exiting = false;
		process->survivor = NULL;
	}
	if (process->leader != task)
		become_leader(task, process->leader);
	return 0;
}
