/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler's interface for the return to ring 3; the rest is in kernel/task/task.h. */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"

/* Calls inside the scheduler that tracing replaces while a tracepoint is enabled. Interrupts
 * masked. */
struct task;
struct sched_calls {
	/* Queues a woken or new task on a processor; task->cpu is its last one. */
	void (*wake)(struct task *task, uint32_t cpu, bool preempt);
	/* Queues a task for its next turn on another processor. */
	void (*move)(struct task *task, uint32_t cpu, bool preempt);
};
extern struct sched_calls sched_calls;

/* Yields if the current task's slice is over. Context: task, returning to ring 3. */
void sched_user_return(void);

/* Preemption point in a long system call: lets other tasks run when the current task's slice is
 * over, and lets other processors take the kernel lock. The caller must recheck its state
 * afterwards. False: the process is ending, so the caller should give up. Context: task. */
bool sched_pause(void);

/* sched_yield(2). Context: task. */
void sched_yield(void);

/* Prepares the queue and the idle task of a processor that is not started yet; false: no memory.
 * Context: start. */
struct cpu;
bool sched_init_processor(struct cpu *cpu);

/* Applies isolcpus= of the command line: new programs avoid those processors. Context: start, once
 * nr_cpus is final. */
void sched_isolate(void);
/* Returns the processors that new programs may use: all except the isolated ones (isolcpus=).
 * Context: any, after start. */
struct cpu_mask sched_usual(void);

/* Sets the task's permitted processors (a mask with at least one online processor). On return it
 * runs nowhere else. Context: task. */
void sched_set_affinity(struct task *task, const struct cpu_mask *mask);

/* Makes the task check its signals soon: wakes it, or interrupts it. Context: task or interrupt. */
void task_poke(struct task *task);

/* Called before a single processor idles, interrupts masked; it may make tasks runnable. NULL:
 * none. Context of the call: idle. */
extern void (*sched_idle_hook)(void);
/* True if tasks wait for this processor. Context: task. */
bool sched_others_wait(void);

/* Returns how long the processor was idle. Context: any. */
uint64_t sched_idle_ns(uint32_t cpu);
/* Returns the number of tasks that run or wait to run. */
uint32_t sched_runnable(void);
/* Returns the number of context switches on the processor, including those to the idle task.
 * Context: any. */
uint64_t sched_switches(uint32_t cpu);

#endif
