/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks: what the scheduler runs. A thread is a task that shares its mm, files and tgid. */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/frame.h"
#include "arch/x86/percpu.h"
#include "kernel/list.h"
#include "kernel/waitq.h"

struct mm;
struct files;
struct signals;
struct perf_task;

enum task_state { TASK_RUNNABLE, TASK_SLEEPING, TASK_ZOMBIE, TASK_DEAD };

struct task {
	uint64_t kernel_rsp;   /* saved stack pointer while switched out (switch.asm) */
	uint64_t stack_top;    /* top of the kernel stack; the user frame lies just below */
	enum task_state state;
	int pid;               /* Linux's tid */
	int tgid;              /* Linux's pid */
	struct task *parent;   /* real parent, NULL for the first task */
	char comm[16];
	struct mm *mm;
	struct files *files;
	struct signals *signals;
	uint32_t refs;
	bool kernel_thread;    /* runs in ring 0 only (idle) */
	uint32_t uid;
	uint64_t fs_base, gs_base;
	void *fpu;             /* XSAVE area */
	uint64_t start_ns;     /* clock_ns() at creation */
	uint64_t runtime_ns;   /* processor time up to the last switch out */
	uint64_t switched_in_ns;
	uint64_t min_faults, maj_faults;
	uint64_t nvcsw, nivcsw;
	struct perf_task *perf; /* owned by pmu/: the task's event context */
	struct list run_link;   /* in the run queue */
	struct list task_link;  /* in the list of all tasks */
	struct list children, sibling;
	struct waitq child_exit;
	int exit_status;        /* as wait4 reports it */
};

static inline struct task *current_task(void)
{
	return this_cpu()->current;
}

/* The frame with the user's registers, at the top of the task's kernel stack. Valid while the task is in the kernel. */
static inline struct frame *task_user_frame(const struct task *task)
{
	return (struct frame *)(task->stack_top - sizeof(struct frame));
}

/* Finds a task by tid with a reference taken, or NULL. Context: task. */
struct task *task_find(int pid);
void task_get(struct task *task);
void task_put(struct task *task);

/* Gives the processor away if another task is runnable. Context: task. */
void schedule(void);
void task_wake(struct task *task);

/* Queues signal `signo` for the task (no siginfo beyond SI_KERNEL). Context: task or interrupt. */
void signal_send(struct task *task, int signo);

#endif
