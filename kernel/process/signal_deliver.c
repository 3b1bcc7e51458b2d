/* SPDX-License-Identifier: BSD-2-Clause */
/* Delivery of signals at the return to ring 3: handlers, default actions, restarted system
 * calls. */
#include <linux/errno.h>
#include <linux/wait.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/process/first.h"
#include "kernel/process/init.h"
#include "kernel/process/process.h"
#include "kernel/process/rseq.h"
#include "kernel/process/trace.h"
#include "kernel/signal/signal.h"
#include "kernel/signal/syscall.h"
#include "kernel/task/sched.h"

enum default_action { ACTION_TERMINATE, ACTION_CORE, ACTION_IGNORE, ACTION_STOP };

static enum default_action default_action(int signo)
{
	switch (signo) {
	case SIGCHLD:
	case SIGURG:
	case SIGWINCH:
	case SIGCONT:
		return ACTION_IGNORE;
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return ACTION_STOP;
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGXCPU:
	case SIGXFSZ:
	case SIGSYS:
		return ACTION_CORE;
	default:
		return ACTION_TERMINATE;
	}
}

static bool was_interrupted(const struct frame *frame)
{
	return frame->vector == FRAME_SYSCALL && frame->rax == (uint64_t)-EINTR;
}

/* Restarts the interrupted call when the frame returns. */
static void restart_call(struct frame *frame)
{
	frame->rax = frame->error;
	frame->rip -= SYSCALL_BYTES;
	frame->vector = 0;
}

/* Stops the process until SIGCONT and notifies its parent. */
static void signal_deliver_stop(struct process *process, int signo)
{
	process->stopped = true;
	process->stops++;
	process->stop_signal = signo;
	process->stop_reported = false;
	tracees_notify(process);
	process_poke(process);
	/* A parent that traces its child is notified of each thread. */
	if (!process->leader->parent ||
	    !is_traced_by(process->leader, process->leader->parent->process))
		process_notify_parent(process, CLD_STOPPED, signo);
}

/* Sleeps while the process is stopped and the task is not traced. */
static void wait_while_stopped(struct process *process)
{
	struct waiter waiter;

	waitq_add(&process->changes, &waiter);
	while (process->stopped && !is_traced(current_task()) && !waitq_sleep_killable())
		;
	waitq_remove(&waiter);
}

static void run_handler(struct frame *frame, const siginfo_t *info)
{
	struct task *task = current_task();
	struct signal_action *slot = &task->process->actions->action[info->si_signo - 1],
			     action = *slot;
	uint64_t back = task->restore_blocked ? task->saved_blocked : task->blocked;

	if (was_interrupted(frame) && action.flags & SA_RESTART && syscall_restarts(frame->error))
		restart_call(frame);
	task->restart_deadline_ns = 0;
	task->restore_blocked = false;
	if (task->rseq && !rseq_signal(frame)) {
		if (info->si_signo == SIGSEGV)
			slot->handler = (uint64_t)SIG_DFL;
		signal_fault(SIGSEGV, SI_KERNEL, 0, 0);
		return;
	}
	if (action.flags & SA_RESETHAND)
		slot->handler = (uint64_t)SIG_DFL;
	if (!signal_calls.push(frame, &action, info, back)) {
		/* No room for the frame: a SIGSEGV that cannot be handled kills. */
		if (info->si_signo == SIGSEGV)
			slot->handler = (uint64_t)SIG_DFL;
		signal_fault(SIGSEGV, SI_KERNEL, 0, 0);
		return;
	}
	if (!(action.flags & SA_NODEFER))
		action.mask |= SIGNAL_BIT(info->si_signo);
	signal_set_blocked(task->blocked | action.mask);
	trace_handler();
}

/* Returns a fault's address, or FIRST_NO_ADDRESS if the signal has none. */
static uint64_t fault_address(const siginfo_t *info)
{
	bool fault = info->si_signo == SIGSEGV || info->si_signo == SIGBUS ||
		     info->si_signo == SIGILL || info->si_signo == SIGFPE;

	return fault && info->si_code > 0 && info->si_code != SI_KERNEL ? (uint64_t)info->si_addr
									: FIRST_NO_ADDRESS;
}

/* Ends the process by the signal; `core`: with a core file, if it may have one. */
static _Noreturn void end_by(const struct frame *frame, const siginfo_t *info, bool core)
{
	struct process *process = current_task()->process;

	if (process == first_task()->process)
		first_falls(frame->rip, fault_address(info));
	if (core && signal_calls.dump(info))
		process->exit_status |= WAIT_CORE;
	process_exit(info->si_signo);
}

/* Handles one signal; returns true if a handler was set up. */
static bool deliver(struct frame *frame, const siginfo_t *info)
{
	struct task *task = current_task();
	uint64_t handler = task->process->actions->action[info->si_signo - 1].handler;

	if (handler == (uint64_t)SIG_IGN)
		return false;
	if (handler != (uint64_t)SIG_DFL) {
		run_handler(frame, info);
		return true;
	}
	switch (default_action(info->si_signo)) {
	case ACTION_IGNORE:
		break;
	case ACTION_STOP:
		signal_deliver_stop(task->process, info->si_signo);
		break;
	case ACTION_TERMINATE:
		end_by(frame, info, false);
	case ACTION_CORE:
		end_by(frame, info, true);
	}
	return false;
}

/* Stops for the tracer, or with its process; returns whether it did. */
static bool pause_here(struct task *task)
{
	struct process *process = task->process;
	bool stopped = process->stopped && task->stop_passed != process->stops;

	if (task->trap_due)
		trace_trap();
	else if (stopped && is_traced(task))
		trace_group_stop();
	else if (stopped)
		wait_while_stopped(process);
	else
		return false;
	return true;
}

void signal_user_return(struct frame *frame)
{
	struct task *task = current_task();
	struct process *process = task->process;
	bool handled = false;
	siginfo_t info;

	trace_hide_step(frame);
	trace_late_exit();
	for (;;) {
		sched_user_return();
		if (task_must_exit(task))
			task_exit(process->exit_status);
		if (pause_here(task))
			continue;
		if (!signal_pending(task) || !signal_take(~task->blocked, &info)) {
			if (!task->rseq || rseq_return(frame))
				break;
			signal_fault(SIGSEGV, SI_KERNEL, 0, 0);
			continue;
		}
		if (!is_traced(task) || trace_signal(&info))
			handled |= deliver(frame, &info);
	}
	trace_show_step(frame);
	if (handled)
		return;
	/* No handler ran: restart the call as if it had not been interrupted. */
	if (was_interrupted(frame) && syscall_continues(frame->error)) {
		task->restart_deadline_ns = task->deadline_ns;
		restart_call(frame);
	}
	if (task->restore_blocked) {
		task->restore_blocked = false;
		signal_set_blocked(task->saved_blocked);
	}
}
