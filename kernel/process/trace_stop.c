/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops of tracees, in which they wait for their tracers: signals, system calls, steps, events. */
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/trap/traps.h"
#include "kernel/process/process.h"
#include "kernel/process/trace.h"
#include "kernel/signal/signal.h"
#include "kernel/signal/syscall.h"
#include "kernel/task/sched.h"
#include "kernel/task/system_time.h"

#define CALL_STOP     0x80 /* with SIGTRAP, for PTRACE_O_TRACESYSGOOD */
#define EVENT_SHIFT   8
#define OPTION(event) (1u << (event))

_Static_assert(PTRACE_O_TRACEFORK == OPTION(PTRACE_EVENT_FORK) &&
		   PTRACE_O_TRACEEXIT == OPTION(PTRACE_EVENT_EXIT),
	       "an event's option is the bit of its number");

static siginfo_t own_info(int signo, int code)
{
	siginfo_t info = {.si_signo = signo, .si_code = code};

	info.si_pid = current_task()->pid;
	info.si_uid = current_task()->cred.uid.real;
	return info;
}

/* Sends SIGCHLD for the stop and wakes the tracer's wait. */
static void notify_tracer(const struct tracee *trace, int why)
{
	struct process *process = trace->tracer->process;
	const struct signal_action *action = &process->actions->action[SIGCHLD - 1];
	siginfo_t info = own_info(SIGCHLD, why);

	info.si_status = (int)(trace->code & 0x7f);
	if (!(action->flags & SA_NOCLDSTOP) && action->handler != (uint64_t)SIG_IGN)
		signal_queue(trace->tracer, true, &info);
	waitq_wake(&process->leader->child_exit);
}

static void move_to(struct tracee *trace, struct list *list)
{
	list_remove(&trace->link);
	list_add_tail(list, &trace->link);
}

/* Sleeps until the tracer or SIGKILL ends the stop. */
static void wait_for_tracer(struct task *task)
{
	uint64_t flags;

	while (task->trace->stopped) {
		flags = irq_save();
		task->state = TASK_SLEEPING;
		irq_restore(flags);
		if (task->trace->stopped)
			schedule();
	}
	flags = irq_save();
	task->state = TASK_RUNNABLE;
	irq_restore(flags);
}

/*
 * Stops with this code; `info` is for PTRACE_GETSIGINFO (NULL: none). Returns the signal to
 * continue with, which the tracer chose. A task that is about to exit stops only for its exit
 * event, and not even for that once its memory is needed.
 */
static int trace_stop_stop(uint32_t code, const siginfo_t *info, int why)
{
	struct task *task = current_task();
	struct tracee *trace = task->trace;
	uint64_t flags;

	if (!is_traced(task) || task->process->reclaimed ||
	    (task_must_exit(task) && code != (SIGTRAP | PTRACE_EVENT_EXIT << EVENT_SHIFT)))
		return 0;
	trace->code = code;
	trace->has_info = info;
	if (info)
		trace->info = *info;
	trace->inject = 0;
	trace->listening = trace->reported = false;
	trace->stopped = true;
	move_to(trace, &trace->tracer->trace_news);
	notify_tracer(trace, why);
	wait_for_tracer(task);
	if (is_traced(task))
		move_to(trace, &trace->tracer->tracees);
	flags = irq_save();
	this_cpu()->return_work = 1;
	traps_trace_task(task->calls_traced);
	irq_restore(flags);
	return trace->inject;
}

/* As Linux's ptrace_notify(): a stop whose siginfo contains its code. */
static int notify(uint32_t code)
{
	siginfo_t info = own_info(SIGTRAP, (int)code);

	return trace_stop_stop(code, &info, CLD_TRAPPED);
}

void trace_event(int event, uint64_t message)
{
	struct task *task = current_task();
	struct frame *frame = task_user_frame(task);
	bool inside =
	    !task->calls_reported && (frame->vector == FRAME_SYSCALL || event == PTRACE_EVENT_EXEC);

	if (!is_traced(task) || !(task->trace->options & OPTION(event)))
		return;
	if (inside && frame->vector == FRAME_SYSCALL)
		frame->rax = (uint64_t)-ENOSYS;
	task->trace->message = message;
	task->trace->place = TRACE_ELSEWHERE;
	notify(SIGTRAP | (uint32_t)event << EVENT_SHIFT);
	task->trace->late_exit = inside && task->calls_reported;
}

void trace_exec(int old_pid)
{
	struct task *task = current_task();
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_USER};

	if (!is_traced(task))
		return;
	if (task->trace->options & PTRACE_O_TRACEEXEC) {
		trace_event(PTRACE_EVENT_EXEC, (uint64_t)old_pid);
	} else if (!task->trace->seized) {
		info.si_pid = task->tgid;
		info.si_uid = task->cred.uid.real;
		signal_queue(task, false, &info);
	}
}

bool trace_signal(siginfo_t *info)
{
	struct task *task = current_task();
	struct tracee *trace = task->trace;
	int signo;

	trace->place = TRACE_ELSEWHERE;
	signo = trace_stop_stop((uint32_t)info->si_signo, info, CLD_TRAPPED);
	if (!signo)
		return false;
	if (signo == info->si_signo) {
		*info = trace->info;
		info->si_signo = signo;
	} else {
		*info = (siginfo_t){.si_signo = signo, .si_code = SI_USER};
		info->si_pid = is_traced(task) ? trace->tracer->tgid : 0;
		info->si_uid = is_traced(task) ? trace->tracer->cred.uid.real : 0;
	}
	if (!(task->blocked & SIGNAL_BIT(signo)))
		return true;
	signal_queue(task, false, info);
	return false;
}

void trace_handler(void)
{
	if (is_traced(current_task()) && current_task()->trace->step)
		notify(SIGTRAP);
}

void trace_group_stop(void)
{
	struct task *task = current_task();
	uint32_t signo = (uint32_t)task->process->stop_signal;

	task->stop_passed = task->process->stops;
	task->trace->place = TRACE_ELSEWHERE;
	if (task->trace->seized)
		trace_trap();
	else
		trace_stop_stop(signo, NULL, CLD_STOPPED);
}

void trace_trap(void)
{
	struct task *task = current_task();
	const struct process *process = task->process;
	uint32_t signo = process->stopped ? (uint32_t)process->stop_signal : SIGTRAP;
	uint32_t code = signo | PTRACE_EVENT_STOP << EVENT_SHIFT;
	siginfo_t info;

	task->trap_due = false;
	if (!is_traced(task))
		return;
	if (process->stopped)
		task->stop_passed = process->stops;
	info = own_info((int)signo, (int)code);
	task->trace->place = TRACE_ELSEWHERE;
	trace_stop_stop(code, &info, CLD_STOPPED);
}

/* System calls and steps. */

long (*syscall_make)(struct frame *frame) = syscall_dispatch;

void trace_hide_step(struct frame *frame)
{
	struct tracee *trace = current_task()->trace;

	if (trace && trace->forced_trap)
		frame->rflags &= ~RFLAGS_TF;
	if (trace)
		trace->forced_trap = false;
}

/* The program's own trap flag is kept. */
void trace_show_step(struct frame *frame)
{
	struct task *task = current_task();

	if (!is_traced(task) || !task->trace->step || frame->rflags & RFLAGS_TF)
		return;
	frame->rflags |= RFLAGS_TF;
	task->trace->forced_trap = true;
}

/* Stops at the start or the end of a system call, and sends the signal that the tracer continues it
 * with. */
static void call_stop(enum trace_place place)
{
	struct task *task = current_task();
	siginfo_t info = {.si_code = SI_KERNEL};
	bool marked = task->trace->options & PTRACE_O_TRACESYSGOOD;

	task->trace->place = place;
	task->trace->message =
	    place == TRACE_AT_ENTRY ? PTRACE_EVENTMSG_SYSCALL_ENTRY : PTRACE_EVENTMSG_SYSCALL_EXIT;
	info.si_signo = notify(SIGTRAP | (marked ? CALL_STOP : 0));
	if (info.si_signo)
		signal_queue(task, false, &info);
}

/* False: the tracer emulates the call, or the task must leave. */
static bool call_begins(struct frame *frame)
{
	struct task *task = current_task();
	bool emulate;

	trace_hide_step(frame);
	if (!is_traced(task) || task->trace->calls == TRACE_CALLS_NOT)
		return true;
	emulate = task->trace->calls == TRACE_CALLS_EMULATE;
	call_stop(TRACE_AT_ENTRY);
	return !emulate && !task_must_exit(task);
}

static void call_ends(struct frame *frame)
{
	struct task *task = current_task();

	if (!is_traced(task))
		return;
	if (task->trace->calls == TRACE_CALLS)
		call_stop(TRACE_AT_EXIT);
	else if (task->trace->step && task->trace->calls == TRACE_CALLS_NOT)
		signal_fault(SIGTRAP, TRAP_BRKPT, frame->rip, EXCEPTION_DB);
}

void trace_late_exit(void)
{
	struct task *task = current_task();

	if (!task->trace || !task->trace->late_exit)
		return;
	task->trace->late_exit = false;
	call_ends(task_user_frame(task));
}

/* Makes a call with stops for the tracer, which may cancel the call (number -1). */
static long reported_call(struct frame *frame)
{
	frame->rax = (uint64_t)-ENOSYS;
	if (call_begins(frame) && (int32_t)frame->error != -1)
		frame->rax = (uint64_t)syscall_make(frame);
	call_ends(frame);
	this_cpu()->return_work = 1;
	return (long)frame->rax;
}

__attribute__((noinline)) static long watched_call(struct task *task, struct frame *frame)
{
	long result;

	system_time_begins(task);
	result = task->calls_reported ? reported_call(frame) : syscall_make(frame);
	system_time_ends(task);
	return result;
}

/* Dispatches the calls of tasks with calls_traced or calls_timed. */
static long traced_call(struct frame *frame)
{
	struct task *task = current_task();

	return task->calls_traced ? watched_call(task, frame) : syscall_make(frame);
}

void tracees_init(void)
{
	syscall_traced = traced_call;
}
