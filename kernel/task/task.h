/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks, the scheduler's unit. A thread is a task that shares its mm, files and tgid. */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/cpu_mask.h"
#include "arch/x86/cpu/frame.h"
#include "arch/x86/cpu/percpu.h"
#include "kernel/base/list.h"
#include "kernel/base/tree.h"
#include "kernel/mem/nodes.h"
#include "kernel/task/membership/cred.h"
#include "kernel/task/waitq.h"

struct mm;
struct files;
struct cwd;
struct pending_return;
struct pi_lock;
struct pi_waiter;
struct perf_task;
struct process;
struct queued_signal;
struct sem_undo;
struct tracee;
struct uts;

/* Resource use as getrusage() reports it. */
struct usage {
	uint64_t runtime_ns, system_ns; /* the second is a part of the first */
	uint64_t min_faults, maj_faults;
	uint64_t nvcsw, nivcsw;
	uint64_t max_rss; /* pages */
};

#define TASK_NAME 16

#define TASK_KTHREAD 0x00200000u /* Linux's PF_KTHREAD: a kernel thread */

/* BPF programs read it as Linux's __state, which has 0x80 for a task that is dead. */
enum task_state { TASK_RUNNABLE, TASK_SLEEPING, TASK_ZOMBIE = 0x80, TASK_DEAD };

struct task {
	uint64_t kernel_rsp; /* saved stack pointer while switched out (switch.asm) */
	uint64_t stack_top;  /* top of the kernel stack; the user frame is just below */
	enum task_state state;
	int pid;              /* Linux's tid */
	int tgid;             /* Linux's pid */
	struct task *parent;  /* leader of the real parent, NULL for the first task */
	char comm[TASK_NAME]; /* padded with zeros */
	struct mm *mm;
	struct files *files;
	struct cwd *cwd;          /* its current directory and umask, which threads share */
	struct process *process;  /* state shared by the threads of a process */
	struct cgroup *cgroup_v1; /* as process->cgroup, of version 1: each thread's own */
	struct uts *uts;          /* UTS namespace, referenced; NULL: the initial one */
	/* the namespaces of which there is one, for BPF programs */
	const struct common_namespaces *namespaces;
	uint32_t refs;
	uint32_t flags;       /* TASK_KTHREAD or 0, for BPF programs */
	bool kernel_thread;   /* runs in ring 0 only (idle) */
	uint32_t charged_uid; /* whose account it is on */
	struct cred cred;
	uint64_t fs_base, gs_base;
	void *fpu;           /* XSAVE area */
	uint64_t start_ns;   /* clock_ns() at creation */
	uint64_t runtime_ns; /* processor time up to the last switch out */
	uint64_t switched_in_ns;
	uint64_t system_ns;    /* part of runtime_ns spent in the kernel since measurement began */
	uint64_t system_since; /* runtime_ns at kernel entry; 0: not timed */
	int64_t lead_ns; /* with runtime_ns: its account against those it shares a processor with */
	uint64_t min_faults, maj_faults;
	uint64_t nvcsw, nivcsw;
	struct perf_task *perf;         /* owned by pmu/: the task's event context */
	struct pending_return *returns; /* owned by trace/ */
	/* a probe reports it, before PUSH RBP: no frame yet */
	bool enters_function;
	struct tree_node run_node;              /* in the run queue */
	int64_t run_key;                        /* its account when it was put there */
	struct list task_link;                  /* in the list of all tasks */
	struct tree_node pid_node;              /* in the tree of tasks by pid */
	struct list children, zombies, sibling; /* a leader's live children; ended children */
	struct waitq child_exit;
	struct ending
	    *last_ending; /* the last object of its queue (ending.h); NULL: it ends none */
	int exit_status;  /* as wait4 reports it */

	/* Scheduler; interrupts masked. */
	bool on_cpu;       /* running, or about to sleep on its own stack */
	bool has_run;      /* since it exists */
	bool migrated;     /* the last switch to it was on another processor than the one before */
	bool pausing;      /* it lets others go first in the midst of its work in the kernel */
	uint32_t cpu;      /* where it runs, waits to run, or ran last */
	uint32_t last_cpu; /* where it ran last */
	struct cpu_mask affinity; /* processors that it may use; more than there are may be in it */

	/* ptrace(2). */
	struct tracee *trace;            /* its state as a tracee; NULL: it was never traced */
	struct list tracees, trace_news; /* its tracees; the ones with a pending report */
	bool calls_traced;   /* its system calls take the longer way, for a reason below */
	bool calls_reported; /* its tracer is notified of system calls */
	bool calls_timed;    /* its time in the kernel is measured: system_time.h */
	bool trap_due;       /* its tracer asked for a trap */
	/* value of process->stops at which a tracee continued, whatever the other threads do */
	uint32_t stop_passed;

	/* Threads. */
	struct list thread_link; /* in process->threads */
	uint64_t robust_list;    /* user address of the futexes that it holds; 0: none */
	uint64_t rseq;           /* user address of its area of rseq(2); 0: none */
	uint64_t rseq_switches;  /* context switches when rseq was last updated */
	uint32_t rseq_signature;
	struct pi_waiter *waits_for; /* kernel/ipc/futex_pi.c: its place in a lock's queue */
	struct pi_lock *locks_owned; /* locks that others wait for */
	bool locks_over;             /* it ends: it gets no more of them */
	bool executing;              /* execve has decided whom it makes of it */
	int death_signal;            /* to this thread when its parent ends; 0: none */
	uint64_t slack_ns;           /* PR_SET_TIMERSLACK's value; 0: the default */
	uint64_t usual_slack_ns;     /* the parent's, which PR_SET_TIMERSLACK of 0 restores */
	uint8_t policy, priority;    /* SCHED_*, as set: all tasks take turns alike */
	int8_t nice;
	bool reset_on_fork;               /* SCHED_FLAG_RESET_ON_FORK: for the two lines above */
	bool tsc_off;                     /* PR_TSC_SIGSEGV: RDTSC faults */
	uint16_t io_priority;             /* IOPRIO_PRIO_VALUE(), as set */
	struct memory_policy memory;      /* set_mempolicy(2)'s */
	struct memory_policy area_memory; /* during a page fault: of its area */
	uint32_t memory_next;             /* MPOL_INTERLEAVE: where the next page comes from */
	int exit_signal;                  /* to the parent at the end; 0: none */
	uint64_t clear_child_tid;         /* user address that exit zeroes and wakes; 0: none */
	bool vfork;                       /* the parent waits until exec or exit */
	struct waitq vfork_done;

	/* Signals; `pending` and the queue change with interrupts masked. */
	uint64_t blocked;            /* bit n-1: signal n */
	uint64_t pending;            /* sent to this thread */
	struct queued_signal *queue; /* siginfo of pending ones */
	uint64_t saved_blocked;      /* sigsuspend, ppoll: the mask to go back to */
	bool restore_blocked;        /* saved_blocked holds one */
	uint64_t awaited;            /* sigtimedwait: blocked signals that it sleeps for */
	uint64_t altstack, altstack_bytes;
	uint32_t altstack_flags;
	uint64_t fault_address, fault_error,
	    fault_trap;               /* of the last fault: the signal frame shows them */
	uint64_t deadline_ns;         /* of the timed call under way; 0: none */
	uint64_t restart_deadline_ns; /* of the timed call that is restarted; 0: none */
};

/* State shared by the threads of one process. */
struct process {
	uint32_t refs; /* tasks that point here */
	uint32_t live; /* threads that have not exited */
	struct task *leader;
	struct list threads; /* live ones */
	int pgid, sid;
	struct cgroup *cgroup; /* referenced; NULL: the root. Atomic pointer */
	struct sigactions *actions;
	uint64_t pending; /* signals sent to the process */
	struct queued_signal *queue;
	bool exiting;                  /* exit_group or a deadly signal: every thread leaves */
	bool subreaper;                /* orphaned descendants become its children */
	uint32_t personality;          /* personality(2) */
	bool execed;                   /* since its fork (setpgid) */
	struct task *survivor;         /* execve: the thread that does not leave */
	bool reclaimed;                /* it ends for its memory: no tracer stops it */
	int exit_status;               /* of all threads that leave, as wait4 reports it */
	bool stopped;                  /* by stop_signal */
	bool stop_reported, continued; /* state as reported, or still to be reported, by wait4 */
	int stop_signal;
	uint32_t stops; /* so far */
	/* a thread exited, or the process continued after a stop */
	struct waitq changes;
	uint64_t limits[16][2];            /* RLIMIT_*: soft, hard */
	struct interval_timers *intervals; /* setitimer(2); NULL until used */
	struct posix_timer *timers;        /* timer_create(2) */
	struct sem_undo *undos;            /* SEM_UNDO of semop(2) */
	int next_timer;
	struct list alarms; /* armed on processor time of its threads */
	/* Use by its threads, up to their last switches; by children that were waited for. */
	struct usage own, children;
};

/* True if an unblocked signal is pending, or the task must leave. Context: any. */
static inline bool signal_pending(const struct task *task)
{
	const struct process *process = task->process;

	return process &&
	       (((task->pending | process->pending) & ~task->blocked) || process->exiting ||
		(process->stopped && task->stop_passed != process->stops) || task->trap_due);
}

/* True if the whole process is ending, and the task with it. */
static inline bool task_must_exit(const struct task *task)
{
	return task->process->exiting && task->process->survivor != task;
}

/* The frame with the user's registers, at the top of the task's kernel stack. Valid while the task
 * is in the kernel. */
static inline struct frame *task_user_frame(const struct task *task)
{
	return (struct frame *)(task->stack_top - sizeof(struct frame));
}

/* Makes a name from the text, truncated and padded with zeros. Context: any. */
void task_name(char name[TASK_NAME], const char *text);
/* Sets the task's name, made by task_name(). It starts with a trace point. Context: task. */
void task_rename(struct task *task, const char name[TASK_NAME]);

/*
 * A task lives until its last reference is dropped. That frees what it has, such as its memory and
 * files: these two are in kernel/process/process.c, above the scheduler, which calls them.
 */
void task_get(struct task *task);
void task_put(struct task *task);

/* ---- sched.c, idle_task.c ---- */

/*
 * Switches to another task if one is runnable, or if the current one is not. Context: task.
 *
 * The kernel itself is not preempted: a task keeps the processor, and the kernel lock, until it
 * sleeps or returns to ring 3. So code in task context needs no other locks to share data with
 * other tasks; only data that interrupts also use is changed with interrupts masked.
 */
void schedule(void);
/* Makes a sleeping task runnable. Context: task or interrupt. */
void task_wake(struct task *task);
/* Puts a new task into the run queue. Context: task. */
void task_start(struct task *task);

/* Makes the caller the first processor's idle task. Context: start. */
void sched_init(void);
/* The idle loop: runs runnable tasks, otherwise halts. Takes the kernel lock if it is not held.
 * Context: interrupts masked or not. */
_Noreturn void sched_idle(void);
/* Must be called first in a new task: completes the switch to it. Context: the switch, interrupts
 * masked. */
void sched_first(void);
/* The current task has become TASK_DEAD or a zombie: never returns. Context: task. */
_Noreturn void sched_exit(void);
/* Processor time of a task up to now, in nanoseconds. Context: any but NMI. */
uint64_t task_runtime_ns(const struct task *task);

/* ---- usage.c ---- */

/* Adds the task's time since its last switch to its process: at a switch, and at its exit. Context:
 * interrupts masked. */
void task_account_switch(struct task *task);
void task_account_exit(struct task *task);
/* Returns the resource use of the process so far, including its running threads. Context: task or
 * interrupt. */
void process_usage(const struct process *process, struct usage *usage);
void task_usage(const struct task *task, struct usage *usage);
void usage_add(struct usage *sum, const struct usage *more);

/* All tasks, by creation (task->task_link). */
extern struct list all_tasks;
extern uint32_t nr_all_tasks; /* in it */

#endif
