/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals: signal(7). Masks are bit n-1 for signal n. */
#ifndef KERNEL_SIGNAL_H
#define KERNEL_SIGNAL_H

#include <linux/signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/frame.h"
#include "kernel/task/task.h"

#define NR_SIGNALS        64
#define SIGNAL_RT         32 /* from here on every instance is queued */
#define SIGNAL_BIT(signo) (1ul << ((signo)-1))
/* These signals cannot be blocked. */
#define SIGNALS_UNBLOCKABLE (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))

/* In rt_sigaction's format. */
struct signal_action {
	uint64_t handler; /* SIG_DFL 0, SIG_IGN 1, or an address */
	uint64_t flags;   /* SA_* */
	uint64_t restorer;
	uint64_t mask;
};

struct sigactions {
	uint32_t refs;
	struct signal_action action[NR_SIGNALS];
};

/* A queue lists the oldest entry of each signal (at most 64); each of these leads to the further
 * entries of its signal. */
struct queued_signal {
	struct queued_signal *next; /* of the oldest: that of another signal */
	struct queued_signal *same; /* in the oldest: the oldest of another signal */
	struct queued_signal *last; /* of the oldest: the newest of the same signal */
	uint32_t charged_uid;       /* in the oldest: the newest of its signal */
	siginfo_t info;
};

/* Woken when any signal becomes pending: signalfd(2) sleeps here. */
extern struct waitq signal_arrivals;

/* True if the process ignores the signal. Context: task or interrupt. */
bool signal_is_ignored(const struct process *process, int signo);

/*
 * Queues a signal for the thread, or (whole_process) for any thread of its process. info->si_signo
 * is the signal. Returns 0, or -EAGAIN if there is no memory for the siginfo. Context: task or
 * interrupt, not NMI.
 */
int signal_queue(struct task *task, bool whole_process, const siginfo_t *info);

/* Calls in the path of signals that tracing replaces while a tracepoint is enabled. */
struct signal_calls {
	/* Sends a signal to a thread or process: signal_queue(). */
	int (*queue)(struct task *task, bool whole_process, const siginfo_t *info);
	/* Sets up a handler: signal_frame_push(). */
	bool (*push)(struct frame *frame, const struct signal_action *action, const siginfo_t *info,
		     uint64_t mask);
	/* Writes the current process's core file, and lets its other threads end; false if it has
	 * none. NULL before start. */
	bool (*dump)(const siginfo_t *info);
};
extern struct signal_calls signal_calls;

/* Queues signal `signo` for the task (no siginfo beyond SI_KERNEL). Context: task or interrupt. */
void signal_send(struct task *task, int signo);
/* As signal_send(), for the whole process of the task. Context: task or interrupt. */
void signal_send_process(struct task *task, int signo);
/* Makes every thread of the process check its signals soon. Context: task or interrupt. */
void process_poke(struct process *process);

/* A fault of the current task: the signal cannot be ignored or blocked. Context: task. */
void signal_fault(int signo, int code, uint64_t address, unsigned trap);

/* Takes one pending signal of `set` from the current task; returns its number or 0.
 * Context: task. */
int signal_take(uint64_t set, siginfo_t *info);
/* Sets the current task's mask. Process-wide signals that it blocks now go to another thread.
 * Context: task. */
void signal_set_blocked(uint64_t mask);
/* Notifies other threads of the pending process-wide signals in `set`: the current task, which may
 * have been chosen for them, does not take them any more. Context: task. */
void signal_hand_over(uint64_t set);
/* Blocks `mask` until the system call in progress returns to ring 3 (sigsuspend, ppoll). Context:
 * task. */
void signal_block_for_call(uint64_t mask);
/* Frees the pending signals of a task that ends; of a process (with its last thread). Context:
 * task. */
void signal_flush(struct queued_signal **queue);
/* Discards pending instances of `signo` in the whole process (it is ignored now). Context:
 * task or interrupt. */
void signal_discard(struct process *process, int signo);

#endif
