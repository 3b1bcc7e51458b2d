/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls from the kernel up to performance events when a task starts, ends, switches, execs or maps
 * memory. */
#ifndef KERNEL_HOOKS_H
#define KERNEL_HOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"

struct cgroup;
struct task;
struct vma;

/*
 * Filled once at start by pmu/. Each call site costs one load and one branch while a slot is NULL;
 * pmu/ may leave a slot NULL as long as no event needs it. Context of each: see the comment;
 * interrupts are masked in the switch hooks.
 */
struct perf_hooks {
	/* In the scheduler, interrupts masked, before the switch, on prev's stack. prev is
	 * current. */
	void (*switch_out)(struct task *prev, struct task *next);
	/* After the switch, on next's stack; next is current. */
	void (*switch_in)(struct task *prev, struct task *next);
	/* The child exists and has not run. `thread`: CLONE_THREAD. Returns 0 or -ENOMEM, which
	 * fails the fork. */
	int (*fork)(struct task *child, bool thread);
	/* The child of the call before is now visible: FORK records. `flags`: CLONE_*. */
	void (*fork_done)(struct task *child, uint64_t flags);
	/* execve succeeded: new mm and comm are in place, the first instruction has not run. */
	void (*exec)(struct task *task);
	/* As exec, after the comm and mmap hooks of the new program. NULL: no event needs it. */
	void (*exec_done)(struct task *task);
	/* The task's name changed; `exec`: by exec, else by prctl. */
	void (*comm)(struct task *task, bool exec);
	/* The current task changed namespaces (unshare or setns). */
	void (*namespaces)(struct task *task);
	/* The task is exiting, still current, mm and files still there. */
	void (*exit)(struct task *task);
	/* The last reference goes away: free task->perf. */
	void (*task_free)(struct task *task);
	/* A mapping was made by mmap, exec or brk. */
	void (*mmap)(struct vma *vma);
	/* A page fault of ring 3 (or of a user copy) begins; it was resolved without I/O. */
	void (*page_fault)(struct frame *frame, uint64_t address);
	void (*page_fault_minor)(struct frame *frame, uint64_t address);
	/* prctl(PR_TASK_PERF_EVENTS_ENABLE / DISABLE). */
	void (*task_enable)(bool enable);
	/* A control group was made; a process went from one to another. Context: task. */
	void (*cgroup_made)(const struct cgroup *group);
	void (*cgroup_moved)(void);
};

extern struct perf_hooks perf_hooks;

#endif
