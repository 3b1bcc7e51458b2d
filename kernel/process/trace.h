/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracing of tasks with ptrace(2): attachment (trace.c) and stops (trace_stop.c). Context of all:
 * task. */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include <linux/ptrace.h>
#include <stdbool.h>
#include "kernel/task/tracee.h"

struct clone_request;
struct frame;

/* PTRACE_TRACEME: 0, or -EPERM, -ENOMEM. */
int trace_me(void);
/* PTRACE_ATTACH, PTRACE_SEIZE with its options: 0, -EPERM, -ENOMEM, -EINTR while it waits for the
 * end of the task's execve. The task is referenced. */
int trace_attach(struct task *task, bool seize, uint32_t options);
/* PTRACE_DETACH of a stopped tracee; it continues with the signal. */
void trace_detach(struct task *task, int signo);
/* The task ends: detaches its tracees. */
void trace_tracer_exit(struct task *tracer);

/* Checks for a stopped tracee of the current task; `ignore_state`: stopped or not. 0 or -ESRCH. */
int trace_check(const struct task *task, bool ignore_state);
/* True if the current task may still access its tracee's memory, after the tracee's later execs. */
bool trace_may_access(const struct task *task);
/* Lets the tracee continue with the signal (0: none): freely, for one instruction, or to its next
 * system call. */
void trace_resume(struct task *task, int signo, bool step, enum trace_calls calls);
/* PTRACE_INTERRUPT, PTRACE_LISTEN. */
void trace_interrupt(struct task *task);
void trace_listen(struct task *task);

/* For a child of a traced task: returns the event of the clone (0: none) before the child exists;
 * attaches the child to the tracer before it runs. trace_prepare() returns 0 or -ENOMEM. */
int trace_clone_event(const struct clone_request *request);
int trace_prepare(struct task *child, const struct clone_request *request, int event);
void trace_inherit(struct task *child, const struct clone_request *request, int event);

/* Stops the current task if its tracer requested the event (PTRACE_EVENT_*). */
void trace_event(int event, uint64_t message);
/* Stops for the exec event; without PTRACE_O_TRACEEXEC sends SIGTRAP instead. `old_pid`: the thread
 * that called. */
void trace_exec(int old_pid);
/* Shows a signal to the tracer before delivery. False: the tracer suppressed it; else *info is the
 * signal to deliver. */
bool trace_signal(siginfo_t *info);
/* A handler was set up while the tracee is single-stepped. */
void trace_handler(void);
/* Stops for the group stop, or for a requested trap. */
void trace_group_stop(void);
void trace_trap(void);
/* Around the return to ring 3: removes the tracer's trap flag from the frame; sets it again. */
void trace_hide_step(struct frame *frame);
void trace_show_step(struct frame *frame);
/* The exit of a system call that was not traced at its start. */
void trace_late_exit(void);
/* Enables stops at system calls of traced tasks from now on. Context: start. */
void tracees_init(void);

/* A tracee became a zombie: notifies its tracer. */
void trace_zombie(struct task *task);
/* Its tracer has reaped it: ends the tracing. */
void trace_reaped(struct task *task);

#endif
