/* SPDX-License-Identifier: BSD-2-Clause */
/* What a task that is traced, or was, keeps of it: ptrace(2). What happens to it:
 * kernel/process/trace.h. */
#ifndef KERNEL_TRACEE_H
#define KERNEL_TRACEE_H

#include <linux/signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "kernel/base/list.h"
#include "kernel/task/task.h"

/* What a tracer wants of the tracee's system calls. */
enum trace_calls { TRACE_CALLS_NOT, TRACE_CALLS, TRACE_CALLS_EMULATE };

/* Where in a system call the tracee stopped: PTRACE_GET_SYSCALL_INFO. */
enum trace_place { TRACE_ELSEWHERE, TRACE_AT_ENTRY, TRACE_AT_EXIT };

/*
 * Made at the first attachment, and kept until the task goes: `tracer` tells whether it is traced.
 * Changes in task context; SIGKILL, which an interrupt may send, only clears `stopped`.
 */
struct tracee {
	struct task *task;
	struct task *tracer; /* NULL: nobody; a tracer that ends lets go first */
	struct list link;    /* in the tracer's `tracees`, or in its `trace_news` while it has
				something to be told */
	uint32_t options;    /* PTRACE_O_* */
	bool seized;
	bool by_parent;      /* PTRACE_TRACEME: any thread of the tracer's process may ask */
	bool tracer_capable; /* it had CAP_SYS_PTRACE when it attached */
	bool stopped;        /* waits for its tracer; atomic */
	bool told;           /* wait4 has told of the stop */
	bool listening;      /* PTRACE_LISTEN: news of the group stop make it trap again */
	bool step;           /* goes on for one instruction */
	bool forced_trap;    /* the trap flag in its frame is the tracer's */
	bool late_exit;      /* it stopped inside of a call that was not traced when it began */
	uint8_t calls;       /* enum trace_calls */
	uint8_t place;       /* enum trace_place */
	uint32_t code;       /* of the stop: the signal, the event above bit 8 */
	int inject;          /* the signal with which it goes on; 0: none */
	bool has_info;
	siginfo_t info;
	uint64_t message; /* PTRACE_GETEVENTMSG */
};

static inline bool is_traced(const struct task *task)
{
	return task->trace && task->trace->tracer;
}

/* A thread of the process traces the task. */
static inline bool is_traced_by(const struct task *task, const struct process *process)
{
	return is_traced(task) && task->trace->tracer->process == process;
}

/* The task goes on from its stop. Context of all: task or interrupt. */
void tracee_release(struct task *task);
/* All threads of the process do: it ends. */
void tracees_release(struct process *process);
/* The process stopped, or goes on: its seized threads, but for the current one, trap again. */
void tracees_notify(struct process *process);

#endif
