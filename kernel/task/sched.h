/* SPDX-License-Identifier: BSD-2-Clause */
/* What the way back to ring 3 asks of the scheduler; the rest is in kernel/task/task.h. */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

#include <stdbool.h>
#include <stdint.h>

/* Calls inside the scheduler that tracing replaces while a tracepoint is enabled. Interrupts
 * masked. */
struct task;
struct sched_calls {
	/* Puts a task that woke, or a new one, into a processor's queue; task->cpu is where it
	 * was. */
	void (*wake)(struct task *task, uint32_t cpu, bool preempt);
	/* Puts one that waits for its next turn into another processor's. */
	void (*move)(struct task *task, uint32_t cpu, bool preempt);
};
extern struct sched_calls sched_calls;

/* Lets others run when the current task's turn is over. Context: task, on its way to ring 3. */
void sched_user_return(void);

/* Preemption point in a long system call: lets other tasks run when the current task's slice is
 * over, and lets other processors take the kernel lock. The caller must recheck its state
 * afterwards. False: the process is ending, so the caller should give up. Context: task. */
bool sched_pause(void);

/* sched_yield(2). Context: task. */
void sched_yield(void);

/* Prepares the queue and the idle task of a processor that does not run yet; false: no memory.
 * Context: start. */
struct cpu;
bool sched_init_processor(struct cpu *cpu);

/* Obeys isolcpus= of the command line: new programs stay off those processors. Context: start, once
 * nr_cpus is final. */
void sched_isolate(void);
/* The processors that isolcpus= names, as a mask. Context: any. */
uint64_t sched_isolated(void);

/* Where the task may run (a mask with at least one processor that runs). On return it runs nowhere
 * else. Context: task. */
void sched_set_affinity(struct task *task, uint64_t mask);

/* The task looks at its signals soon: wakes it, or interrupts it where it runs. Context: task or
 * interrupt. */
void task_poke(struct task *task);

/* Called by the only processor each time before it idles, interrupts masked; it may make tasks
 * runnable. NULL: nothing. Context of the call: idle. */
extern void (*sched_idle_hook)(void);
/* Whether tasks wait for this processor. Context: task. */
bool sched_others_wait(void);

/* How long the processor had nothing to run. Context: any. */
uint64_t sched_idle_ns(uint32_t cpu);
/* How often the processor went from one task to another, the idle one included. Context: any. */
uint64_t sched_switches(uint32_t cpu);

#endif
