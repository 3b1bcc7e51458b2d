/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracing relations: attaching, detaching, children, and the end of either side. */
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/trap/traps.h"
#include "kernel/fs/permission.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/space.h"
#include "kernel/process/process.h"
#include "kernel/process/trace.h"
#include "kernel/signal/signal.h"
#include "kernel/task/sched.h"
#include "kernel/task/system_time.h"

#define ATTACH_LOOK_NS 1000000ul /* a stopped task that continues wakes no tracer */

/* Returns the task's state as a tracee, not traced yet, or NULL. */
static struct tracee *record_of(struct task *task)
{
	if (task->trace)
		return task->trace;
	task->trace = kalloc(sizeof(*task->trace));
	if (!task->trace)
		return NULL;
	task->trace->task = task;
	list_init(&task->trace->link);
	return task->trace;
}

static void link_to(struct tracee *trace, struct task *tracer)
{
	trace->options = 0;
	trace->seized = trace->by_parent = trace->listening = trace->step = trace->late_exit =
	    false;
	trace->calls = TRACE_CALLS_NOT;
	trace->place = TRACE_ELSEWHERE;
	trace->inject = 0;
	trace->tracer = tracer;
	list_add_tail(&tracer->tracees, &trace->link);
}

static void unlink_from(struct tracee *trace)
{
	trace->tracer = NULL;
	list_remove(&trace->link);
	list_init(&trace->link);
	calls_reported(trace->task, false);
}

/* True if the tracer has all rights of the task. */
static bool covers(const struct task *tracer, const struct task *task)
{
	return !(task->cred.permitted & ~tracer->cred.permitted) ||
	       tracer->cred.effective & 1ul << CAP_SYS_PTRACE;
}

int trace_me(void)
{
	struct task *task = current_task(), *parent = task->parent;
	struct tracee *trace;

	if (is_traced(task) || !parent || parent->process->exiting || !covers(parent, task))
		return -EPERM;
	trace = record_of(task);
	if (!trace)
		return -ENOMEM;
	link_to(trace, parent);
	trace->by_parent = true;
	trace->tracer_capable = parent->cred.effective & 1ul << CAP_SYS_PTRACE;
	return 0;
}

/* Sleeps until a running execve() has decided the task's credentials: 0 or -EINTR. */
static int await_exec(const struct task *task)
{
	struct waiter waiter;
	int err = 0;

	if (!task->executing)
		return 0;
	waitq_add(&task->process->changes, &waiter);
	while (task->executing && !err)
		err = waitq_sleep(WAITQ_FOREVER);
	waitq_remove(&waiter);
	return err;
}

/* A task of a stopped process stops for its new tracer before the call returns, as on Linux: the
 * tracer need not wait for it. */
static void await_stop(const struct task *task)
{
	const struct tracee *trace = task->trace;
	struct waiter waiter;
	int err = 0;

	waitq_add(&current_task()->process->leader->child_exit, &waiter);
	while (!err && trace->tracer == current_task() && !trace->stopped &&
	       task->process->stopped && task->state < TASK_ZOMBIE)
		err = waitq_sleep(clock_ns() + ATTACH_LOOK_NS);
	waitq_remove(&waiter);
}

int trace_attach(struct task *task, bool seize, uint32_t options)
{
	siginfo_t info = {.si_signo = SIGSTOP, .si_code = SI_USER};
	struct tracee *trace;
	int err = await_exec(task);

	if (err)
		return err;
	if (task->process == current_task()->process || task->kernel_thread ||
	    !may_inspect(task, false))
		return -EPERM;
	if (task->state == TASK_ZOMBIE || task->state == TASK_DEAD || is_traced(task))
		return -EPERM;
	trace = record_of(task);
	if (!trace)
		return -ENOMEM;
	link_to(trace, current_task());
	trace->seized = seize;
	trace->options = options;
	trace->tracer_capable = capable(CAP_SYS_PTRACE);
	if (!seize)
		signal_queue(task, false, &info);
	/* it now stops for its new tracer, which has not seen the stop */
	if (task->process->stopped)
		task->stop_passed = task->process->stops - 1;
	task_poke(task);
	if (task->process->stopped)
		await_stop(task);
	return 0;
}

/* Detaches the task, which then takes part in its process's group stop again. */
static void let_go(struct task *task, int signo)
{
	struct tracee *trace = task->trace;
	bool zombie = task->state == TASK_ZOMBIE;

	unlink_from(trace);
	trace->step = false;
	trace->inject = signo;
	task->stop_passed = task->process->stops - 1;
	tracee_release(task);
	if (zombie)
		process_untraced_zombie(task);
}

void trace_detach(struct task *task, int signo)
{
	let_go(task, signo);
}

static void let_all_go(struct list *tracees)
{
	while (!list_empty(tracees)) {
		struct tracee *trace = container_of(tracees->next, struct tracee, link);

		if (trace->options & PTRACE_O_EXITKILL && trace->task->state != TASK_ZOMBIE)
			signal_send(trace->task, SIGKILL);
		let_go(trace->task, 0);
	}
}

void trace_tracer_exit(struct task *tracer)
{
	let_all_go(&tracer->tracees);
	let_all_go(&tracer->trace_news);
}

int trace_check(const struct task *task, bool ignore_state)
{
	const struct task *self = current_task();
	const struct tracee *trace = task->trace;

	if (!is_traced(task))
		return -ESRCH;
	if (trace->tracer != self && !(trace->by_parent && trace->tracer->process == self->process))
		return -ESRCH;
	if (ignore_state)
		return 0;
	return trace->stopped && !trace->listening && task->state != TASK_ZOMBIE ? 0 : -ESRCH;
}

bool trace_may_access(const struct task *task)
{
	return task->mm && (task->mm->dumpable == DUMPABLE_USER || task->trace->tracer_capable);
}

void trace_resume(struct task *task, int signo, bool step, enum trace_calls calls)
{
	struct tracee *trace = task->trace;

	trace->inject = signo;
	trace->step = step;
	trace->calls = (uint8_t)calls;
	calls_reported(task, step || calls != TRACE_CALLS_NOT);
	tracee_release(task);
}

/* Ends the task's stop, or interrupts it, so that it traps. */
static void trap_soon(struct task *task)
{
	task->trap_due = true;
	task->trace->inject = 0;
	tracee_release(task);
	task_poke(task);
}

void trace_interrupt(struct task *task)
{
	if (!task->trace->stopped || task->trace->listening)
		trap_soon(task);
	else
		task->trap_due = true;
}

void trace_listen(struct task *task)
{
	task->trace->listening = true;
	if (task->trap_due) /* something has happened since it stopped */
		trap_soon(task);
}

/* Children of tracees. */

int trace_clone_event(const struct clone_request *request)
{
	const struct task *task = current_task();
	int event = request->flags & CLONE_VFORK      ? PTRACE_EVENT_VFORK
		    : request->exit_signal == SIGCHLD ? PTRACE_EVENT_FORK
						      : PTRACE_EVENT_CLONE;

	if (request->flags & CLONE_UNTRACED || !is_traced(task) ||
	    !(task->trace->options & 1u << event))
		return 0;
	return event;
}

static bool child_is_traced(const struct clone_request *request, int event)
{
	return is_traced(current_task()) && (event || request->flags & CLONE_PTRACE);
}

int trace_prepare(struct task *child, const struct clone_request *request, int event)
{
	if (current_task()->trace &&
	    current_task()->trace->forced_trap) /* the step is not the child's */
		task_user_frame(child)->rflags &= ~0x100ul;
	return !child_is_traced(request, event) || record_of(child) ? 0 : -ENOMEM;
}

void trace_inherit(struct task *child, const struct clone_request *request, int event)
{
	const struct tracee *own = current_task()->trace;

	if (!child_is_traced(request, event))
		return;
	link_to(child->trace, own->tracer);
	child->trace->options = own->options;
	child->trace->seized = own->seized;
	child->trace->by_parent = own->by_parent;
	child->trace->tracer_capable = own->tracer_capable;
	if (own->seized)
		child->trap_due = true;
	else
		child->pending |= SIGNAL_BIT(SIGSTOP); /* no wake-up: the child has not started */
}

/* The end. */

void trace_zombie(struct task *task)
{
	struct tracee *trace = task->trace;
	struct process *process = trace->tracer->process;
	siginfo_t info = {.si_signo = SIGCHLD, .si_code = status_code(task->exit_status)};

	list_remove(&trace->link);
	list_add_tail(&trace->tracer->trace_news, &trace->link);
	info.si_pid = task->pid;
	info.si_uid = task->cred.uid.real;
	info.si_status =
	    task->exit_status & 0x7f ? task->exit_status & 0x7f : task->exit_status >> 8 & 0xff;
	signal_queue(process->leader, true, &info);
	waitq_wake(&process->leader->child_exit);
}

void trace_reaped(struct task *task)
{
	unlink_from(task->trace);
}
