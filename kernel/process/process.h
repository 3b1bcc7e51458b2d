/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes and threads. Context of all: task. */
#ifndef KERNEL_PROCESS_H
#define KERNEL_PROCESS_H

#include <stdint.h>
#include "kernel/task/task.h"

struct clone_request {
	uint64_t flags; /* CLONE_* without the exit signal */
	int exit_signal;
	uint64_t stack; /* new stack pointer; 0: as the parent's */
	uint64_t tls;
	uint64_t parent_tid, child_tid; /* user addresses */
	uint64_t pidfd;                 /* CLONE_PIDFD: user address */
	struct cgroup *cgroup;          /* CLONE_INTO_CGROUP, referenced; NULL: the parent's */
};

/* clone(2): the child's pid or a negative errno. */
long task_clone(const struct clone_request *request);

/* Makes the very first task, not started: in a process of its own, without an mm. It runs `first`,
 * which calls sched_first() and execs. NULL: no memory. */
struct task *task_first(void (*first)(void));

/* Ends the thread, and with the last one the process. `status` as wait4 reports it: code << 8, or a
 * signal number. */
_Noreturn void task_exit(int status);
/* Lets the process's other threads end, and gives it this status unless it ends already. */
void process_ends(int status);
/* Ends the whole process. */
_Noreturn void process_exit(int status);

/* In a status beside a signal's number: the process left a core file. */
#define WAIT_CORE 0x80

/* Returns how a process with the status ended: CLD_*. */
int status_code(int status);
/* execve: ends all other threads and becomes the leader. Returns 0 or -EINTR. */
int process_become_single(void);

/* Removes a dead task from all lists; the reference for its existence passes to the caller. */
void task_unlink(struct task *task);
/* A zombie's tracer detached: notifies its parent, or frees it. */
void process_untraced_zombie(struct task *task);
/* Sends SIGCHLD to the parent and wakes it: `code` is CLD_*. */
void process_notify_parent(struct process *process, int code, int status);
/* Lets the vfork() parent continue, at exec or exit. */
void task_leave_vfork(struct task *task);

/* wait4, waitid. */
struct wait_request {
	int type; /* P_ALL, P_PID, P_PGID */
	int id;
	int options; /* W* of wait(2) */
	/* Answers: */
	int pid;    /* 0: nothing yet (WNOHANG) */
	int code;   /* CLD_* */
	int status; /* as wait4 reports it */
	uint32_t uid;
	struct usage usage;
};
/* Returns 0 or a negative errno (-ECHILD, -EINTR). */
int process_wait(struct wait_request *request);

#endif
