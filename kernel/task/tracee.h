/* SPDX-License-Identifier: BSD-2-Clause */
/* The ptrace(2) state of a task that is or was traced. kernel/process/trace.h has the
 * operations. */
#ifndef KERNEL_TRACEE_H
#define KERNEL_TRACEE_H

#include <linux/signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/list.h"
#include "kernel/task/task.h"

/* The tracer's request for the tracee's system calls. */
enum trace_calls { TRACE_CALLS_NOT, TRACE_CALLS, TRACE_CALLS_EMULATE };

/* The position in a system call of the stop: PTRACE_GET_SYSCALL_INFO. */
enum trace_place { TRACE_ELSEWHERE, TRACE_AT_ENTRY, TRACE_AT_EXIT };

/*
 * Made at the first attachment and kept until the task is freed; `tracer` is set while the task is
 * traced. Changed in task context; SIGKILL, which an interrupt may send, only clears `stopped`.
 */
struct tracee {
	struct task *task;
	struct task *tracer; /* NULL: not traced; a tracer that ends detaches first */
	/* in the tracer's `tracees`, or in its `trace_news` while it has a pending report */
	struct list link;
	uint32_t options; /* PTRACE_O_* */
	bool seized;
	bool by_parent;      /* PTRACE_TRACEME: any thread of the tracer's process may ask */
	bool tracer_capable; /* it had CAP_SYS_PTRACE when it attached */
	bool stopped;        /* waits for its tracer; atomic */
	bool reported;       /* wait4 has reported the stop */
	bool listening;      /* PTRACE_LISTEN: news of the group stop make it trap again */
	bool step;           /* continues for one instruction */
	bool forced_trap;    /* the trap flag in its frame is the tracer's */
	bool late_exit;      /* it stopped inside of a call that was not traced when it began */
	uint8_t calls;       /* enum trace_calls */
	uint8_t place;       /* enum trace_place */
	uint32_t code;       /* of the stop: the signal, the event above bit 8 */
	int inject;          /* the signal to deliver when it continues; 0: none */
	bool has_info;
	siginfo_t info;
	uint64_t message; /* PTRACE_GETEVENTMSG */
};

static inline bool is_traced(const struct task *task)
{
	return task->trace && task->trace->tracer;
}

/* True if a thread of the process traces the task. */
static inline bool is_traced_by(const struct task *task, const struct process *process)
{
	return is_traced(task) && task->trace->tracer->process == process;
}

/* Lets the task continue from its stop. Context of all: task or interrupt. */
void tracee_release(struct task *task);
/* Lets all threads of the process continue, because it ends. */
void tracees_release(struct process *process);
/* The process stopped or continued: its seized threads, except the current one, trap again. */
void tracees_notify(struct process *process);

#endif
