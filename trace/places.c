/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static trace points. Each hooks a function pointer that the kernel calls anyway: while the event
 * has users the pointer goes to a wrapper here, which emits the event and calls the original.
 */
#include <linux/sched.h>
#include "arch/x86/apic/apic.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/hooks.h"
#include "kernel/base/string.h"
#include "kernel/base/text.h"
#include "kernel/fs/inode.h"
#include "kernel/fs/path.h"
#include "kernel/mem/memory.h"
#include "kernel/signal/signal.h"
#include "kernel/task/sched.h"
#include "kernel/time/timer.h"
#include "kernel/vm/vm.h"
#include "trace/base/event.h"
#include "trace/places.h"
#include "trace/timers.h"

#define PATH_BYTES 256 /* of a program's path; what is before them is cut */

#define STATE_SLEEPING 1
#define STATE_ZOMBIE   0x20
#define STATE_NEW_MAX  0x100 /* was preempted in the kernel */

#define HIT_ABOUT(point, record, about, ...)                                                      \
	do {                                                                                      \
		struct trace_here here = TRACE_CALLER();                                          \
		struct trace_arguments arguments = TRACE_ARGUMENTS(__VA_ARGS__);                  \
                                                                                                  \
		trace_hit_here(&trace_points[point], &(record)->header, sizeof(*(record)), &here, \
			       &arguments, about);                                                \
	} while (0)
#define HIT(name, record, ...) HIT_ABOUT(POINT_##name, record, NULL, __VA_ARGS__)
#define ADDRESS(pointer)       ((uint64_t)(uintptr_t)(pointer))
#define WANTED(name)           trace_wanted(&trace_points[POINT_##name])

/* The pointers' values while nothing is traced. */
static struct perf_hooks plain;
static struct sched_calls plain_sched;
static struct signal_calls plain_signal;

/* Linux's idle tasks have their own name. */
static void copy_comm(char comm[TRACE_COMM], const struct task *task)
{
	struct text text;

	if (!task->kernel_thread) {
		strlcpy(comm, task->comm, TRACE_COMM);
		return;
	}
	text_init(&text, comm, TRACE_COMM);
	text_print(&text, "swapper/%u", task->cpu);
}

/* ---- scheduler ---- */

static long state_of(const struct task *task)
{
	switch (task->state) {
	case TASK_RUNNABLE:
		return task->pausing ? STATE_NEW_MAX : 0;
	case TASK_SLEEPING:
		return STATE_SLEEPING;
	default:
		return STATE_ZOMBIE;
	}
}

static void hit_switch(const struct task *prev, const struct task *next)
{
	struct record_sched_switch record = {.prev_pid = prev->pid,
					     .prev_prio = trace_priority(prev),
					     .prev_state = state_of(prev),
					     .next_pid = next->pid,
					     .next_prio = trace_priority(next)};

	copy_comm(record.prev_comm, prev);
	copy_comm(record.next_comm, next);
	HIT(sched_switch, &record, prev->pausing, ADDRESS(prev), ADDRESS(next),
	    (uint64_t)record.prev_state);
}

static void hit_runtime(const struct task *task)
{
	uint64_t total = task_runtime_ns(task);
	struct record_sched_stat_runtime record = {
	    .pid = task->pid, .runtime = total - task->runtime_ns, .vruntime = total};

	copy_comm(record.comm, task);
	HIT(sched_stat_runtime, &record, ADDRESS(task), record.runtime, record.vruntime);
}

static void traced_switch_out(struct task *prev, struct task *next)
{
	if (!prev->kernel_thread && WANTED(sched_stat_runtime))
		hit_runtime(prev);
	if (WANTED(sched_switch))
		hit_switch(prev, next);
	plain.switch_out(prev, next);
}

static void hit_wakeup(unsigned point, const struct task *task, uint32_t cpu)
{
	struct record_sched_wakeup record = {
	    .pid = task->pid, .prio = trace_priority(task), .target_cpu = (int)cpu};

	if (!trace_wanted(&trace_points[point]) && !task->perf)
		return;
	copy_comm(record.comm, task);
	HIT_ABOUT(point, &record, task, ADDRESS(task));
}

static void hit_migrate(const struct task *task, uint32_t cpu)
{
	struct record_sched_migrate_task record = {.pid = task->pid,
						   .prio = trace_priority(task),
						   .orig_cpu = (int)task->cpu,
						   .dest_cpu = (int)cpu};

	if (!WANTED(sched_migrate_task) || task->cpu == cpu)
		return;
	copy_comm(record.comm, task);
	HIT(sched_migrate_task, &record, ADDRESS(task), cpu);
}

static void traced_wake(struct task *task, uint32_t cpu, bool preempt)
{
	if (task->has_run) {
		hit_wakeup(POINT_sched_waking, task, task->cpu);
		hit_migrate(task, cpu);
	}
	plain_sched.wake(task, cpu, preempt);
	hit_wakeup(task->has_run ? POINT_sched_wakeup : POINT_sched_wakeup_new, task, cpu);
}

static void traced_move(struct task *task, uint32_t cpu, bool preempt)
{
	hit_migrate(task, cpu);
	plain_sched.move(task, cpu, preempt);
}

/* ---- processes ---- */

static void hit_fork(const struct task *child)
{
	struct record_sched_process_fork record = {.parent_pid = current_task()->pid,
						   .child_pid = child->pid};

	copy_comm(record.parent_comm, current_task());
	copy_comm(record.child_comm, child);
	HIT(sched_process_fork, &record, ADDRESS(current_task()), ADDRESS(child));
}

static void hit_newtask(const struct task *child, uint64_t flags)
{
	struct record_task_newtask record = {.pid = child->pid, .clone_flags = flags};

	copy_comm(record.comm, child);
	HIT(task_newtask, &record, ADDRESS(child), flags);
}

static void traced_fork(struct task *child, uint64_t flags)
{
	plain.fork_done(child, flags);
	if (trace_task_made)
		trace_task_made(child);
	if (WANTED(sched_process_fork))
		hit_fork(child);
	if (WANTED(task_newtask))
		hit_newtask(child, flags);
}

/* As on Linux the task's own events have ended by then. */
static void traced_exit(struct task *task)
{
	struct record_sched_process_exit record = {.pid = task->pid, .prio = trace_priority(task)};

	plain.exit(task);
	if (trace_at_exit)
		trace_at_exit(task);
	if (trace_task_ends)
		trace_task_ends(task);
	if (!WANTED(sched_process_exit))
		return;
	copy_comm(record.comm, task);
	HIT(sched_process_exit, &record, ADDRESS(task));
}

/* The record ends with the path. */
static void traced_exec(struct task *task)
{
	struct {
		struct record_sched_process_exec fixed;
		char path[PATH_BYTES];
	} record = {.fixed = {.pid = task->pid, .old_pid = task->pid}};
	struct trace_here here = TRACE_CALLER();
	/* There is no struct linux_binprm. */
	struct trace_arguments arguments = TRACE_ARGUMENTS(ADDRESS(task), (uint64_t)task->pid, 0);
	char buffer[PATH_BYTES], *path;
	size_t bytes;

	if (!WANTED(sched_process_exec))
		return;
	path = inode_path(task->mm->exe_inode, task->mm->exe_name, buffer, sizeof(buffer));
	bytes = strlen(path) + 1;
	memcpy((char *)&record + sizeof(record.fixed), path, bytes);
	record.fixed.filename = (uint32_t)(sizeof(record.fixed) | bytes << 16);
	trace_hit_here(&trace_points[POINT_sched_process_exec], &record.fixed.header,
		       (uint32_t)(sizeof(record.fixed) + bytes), &here, &arguments, NULL);
}

/* ---- faults and signals ---- */

static void traced_fault(struct frame *frame, uint64_t address)
{
	unsigned point = frame_is_user(frame) ? POINT_page_fault_user : POINT_page_fault_kernel;
	struct record_page_fault_user record = {
	    .address = address, .ip = frame->rip, .error_code = frame->error};
	struct trace_arguments arguments = TRACE_ARGUMENTS(address, ADDRESS(frame), frame->error);

	if (trace_wanted(&trace_points[point]))
		trace_hit(&trace_points[point], &record.header, sizeof(record), frame, &arguments);
	plain.page_fault(frame, address);
}

static int traced_queue(struct task *task, bool whole_process, const siginfo_t *info)
{
	struct record_signal_generate record = {.sig = info->si_signo,
						.errno = info->si_errno,
						.code = info->si_code,
						.pid = task->pid,
						.group = whole_process};
	int err = plain_signal.queue(task, whole_process, info);

	if (WANTED(signal_generate)) {
		record.result = err ? 1 : 0;
		copy_comm(record.comm, task);
		HIT(signal_generate, &record, (uint64_t)info->si_signo, ADDRESS(info),
		    ADDRESS(task), whole_process, (uint64_t)record.result);
	}
	return err;
}

static bool traced_push(struct frame *frame, const struct signal_action *action,
			const siginfo_t *info, uint64_t mask)
{
	struct record_signal_deliver record = {.sig = info->si_signo,
					       .errno = info->si_errno,
					       .code = info->si_code,
					       .sa_handler = action->handler,
					       .sa_flags = action->flags};

	if (WANTED(signal_deliver))
		HIT(signal_deliver, &record, (uint64_t)info->si_signo, ADDRESS(info),
		    ADDRESS(action));
	return plain_signal.push(frame, action, info, mask);
}

/* ---- interrupts ---- */

static void hit_vector(unsigned point, const struct frame *frame)
{
	struct record_local_timer_entry record = {.vector = (int)frame->vector};
	struct trace_arguments arguments = TRACE_ARGUMENTS(frame->vector);
	struct frame here = *frame;

	if (trace_wanted(&trace_points[point]))
		trace_hit(&trace_points[point], &record.header, sizeof(record), &here, &arguments);
}

#define VECTOR(called, number)                                                       \
	static irq_handler *plain_##called;                                          \
	static void traced_##called(struct frame *frame)                             \
	{                                                                            \
		hit_vector(POINT_##called##_entry, frame);                           \
		plain_##called(frame);                                               \
		hit_vector(POINT_##called##_exit, frame);                            \
	}                                                                            \
	static void set_##called(bool on)                                            \
	{                                                                            \
		if (on)                                                              \
			plain_##called = irq_handler_of(number);                     \
		if (plain_##called)                                                  \
			irq_register(number, on ? traced_##called : plain_##called); \
	}

/* The timer interrupt also emits the events of each timer. */
static void traced_local_timer(struct frame *frame)
{
	hit_vector(POINT_local_timer_entry, frame);
	timer_interrupt_through(frame, traced_timer_fire);
	hit_vector(POINT_local_timer_exit, frame);
}

static void set_local_timer(bool on)
{
	irq_register(VECTOR_TIMER, on ? traced_local_timer : timer_interrupt);
}

VECTOR(reschedule, VECTOR_RESCHEDULE)
VECTOR(call_function, VECTOR_CALL)

/* ---- on and off ---- */

static void set_wake(bool on)
{
	sched_calls.wake = on ? traced_wake : plain_sched.wake;
	sched_calls.move = on ? traced_move : plain_sched.move;
}

static void set_switch(bool on)
{
	perf_hooks.switch_out = on ? traced_switch_out : plain.switch_out;
}

static void set_exit(bool on)
{
	perf_hooks.exit = on ? traced_exit : plain.exit;
}

static void set_fork(bool on)
{
	perf_hooks.fork_done = on ? traced_fork : plain.fork_done;
}

static void set_exec(bool on)
{
	perf_hooks.exec_done = on ? traced_exec : NULL;
}

static void set_fault(bool on)
{
	perf_hooks.page_fault = on ? traced_fault : plain.page_fault;
}

static void set_signal(bool on)
{
	signal_calls.queue = on ? traced_queue : plain_signal.queue;
	signal_calls.push = on ? traced_push : plain_signal.push;
}

void place_set(enum trace_place place, bool on)
{
	static void (*const set[NR_PLACES])(bool on) = {
	    [PLACE_SYSCALLS] = syscalls_set,
	    [PLACE_WAKE] = set_wake,
	    [PLACE_SWITCH] = set_switch,
	    [PLACE_EXIT] = set_exit,
	    [PLACE_FORK] = set_fork,
	    [PLACE_EXEC] = set_exec,
	    [PLACE_FAULT] = set_fault,
	    [PLACE_SIGNAL] = set_signal,
	    [PLACE_TIMER_VECTOR] = set_local_timer,
	    [PLACE_RESCHEDULE_VECTOR] = set_reschedule,
	    [PLACE_CALL_VECTOR] = set_call_function,
	};

	if (set[place])
		set[place](on);
}

void places_init(void)
{
	plain = perf_hooks;
	plain_sched = sched_calls;
	plain_signal = signal_calls;
}
