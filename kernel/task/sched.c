/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler: a run queue for each processor, ordered by run time, and a one-shot timer for the
 * slice only while tasks wait. */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/features.h"
#include "arch/x86/cpu/fpu.h"
#include "arch/x86/cpu/switch.h"
#include "arch/x86/paging/paging.h"
#include "arch/x86/trap/kernel_lock.h"
#include "arch/x86/trap/remote.h"
#include "arch/x86/trap/traps.h"
#include "kernel/base/assert.h"
#include "kernel/base/hooks.h"
#include "kernel/mem/space.h"
#include "kernel/task/alarm.h"
#include "kernel/task/run_queue.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"

#define SLICE_NS 4000000ull

/* Limits on how far a task's run time may lag or lead the running task's (ns), and the lag at which
 * a woken task preempts its waker. */
#define CREDIT_NS    4000000ll
#define DEBT_NS      4000000ll
#define ADVANTAGE_NS 1000000ll

#define STEAL_LOOKS 32 /* tasks of a queue that an idle processor looks at */

struct run_queue run_queues[MAX_CPUS];

static bool is_idle(uint32_t cpu)
{
	return cpus[cpu]->current == run_queues[cpu].idle;
}

static bool may_use(const struct task *task, uint32_t cpu)
{
	return cpu_mask_has(&task->affinity, cpu);
}

/* Makes the processor check its queue: soon, or when its task returns to ring 3. */
static void kick(uint32_t cpu)
{
	if (!is_idle(cpu))
		cpus[cpu]->return_work = 1;
	if (cpu != this_cpu_read(id))
		remote_kick(cpu);
}

/* Requests schedule() at the processor's next return to ring 3. */
static void reschedule(uint32_t cpu)
{
	run_queues[cpu].reschedule = true;
	kick(cpu);
}

void sched_slice_over(struct timer *timer, struct frame *frame)
{
	(void)timer;
	(void)frame;
	this_queue()->turn_over = true;
	reschedule(this_cpu_read(id));
}

/* Runs the slice timer while other tasks wait for the processor. Called with interrupts masked on
 * the queue's processor. */
static void slice_update(struct run_queue *queue)
{
	bool wanted = queue->tasks.first;

	queue->arrivals = false;
	if (wanted && !timer_armed(&queue->slice))
		timer_arm(&queue->slice, clock_ns() + SLICE_NS);
	else if (!wanted && timer_armed(&queue->slice))
		timer_cancel(&queue->slice);
}

static uint32_t load_of(uint32_t cpu)
{
	return run_queues[cpu].waiting + !is_idle(cpu);
}

uint32_t sched_runnable(void)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < nr_cpus; i++)
		number += load_of(i);
	return number;
}

/* Returns the processor for a task that becomes runnable: its last one if that is idle, else the
 * least loaded. */
static uint32_t choose_cpu(const struct task *task)
{
	uint32_t best = task->cpu, least = UINT32_MAX;

	if (nr_cpus == 1 || (may_use(task, best) && !load_of(best)))
		return best;
	for (uint32_t i = 0; i < nr_cpus; i++) {
		uint32_t load = load_of(i);

		if (may_use(task, i) && (load < least || (load == least && i == task->cpu))) {
			best = i;
			least = load;
		}
	}
	return best;
}

/* Returns the task's run time, by which the queue is ordered. */
static int64_t account_of(const struct task *task)
{
	return (int64_t)task_runtime_ns(task) + task->lead_ns;
}

static void insert(struct run_queue *queue, struct task *task, int64_t key)
{
	KASSERT(!tree_holds(&task->run_node));
	task->run_key = key;
	tree_insert(&queue->tasks, &task->run_node);
	queue->waiting++;
}

/* `preempt`: requests that the task running there yields. Interrupts masked. */
static void enqueue(struct task *task, uint32_t cpu, bool preempt)
{
	struct run_queue *queue = &run_queues[cpu];

	task->cpu = cpu;
	insert(queue, task, account_of(task));
	queue->reschedule |= preempt;
	if (cpu == this_cpu_read(id))
		slice_update(queue);
	else
		queue->arrivals = true;
	if (preempt || queue->arrivals)
		kick(cpu);
}

struct sched_calls sched_calls = {.wake = enqueue, .move = enqueue};

static void dequeue(struct task *task)
{
	KASSERT(run_queues[task->cpu].waiting > 0);
	tree_remove(&run_queues[task->cpu].tasks, &task->run_node);
	run_queues[task->cpu].waiting--;
}

/*
 * Returns how far `task`'s run time lags that of the task running on `cpu`, clamped to [-DEBT_NS,
 * CREDIT_NS]. The clamp keeps a long sleeper from hoarding credit and a migrated task from owing
 * time forever.
 */
static int64_t advantage(struct task *task, uint32_t cpu)
{
	int64_t theirs = account_of(cpus[cpu]->current), ahead = theirs - account_of(task);

	if (ahead > CREDIT_NS) {
		task->lead_ns += ahead - CREDIT_NS;
		ahead = CREDIT_NS;
	} else if (ahead < -DEBT_NS) {
		task->lead_ns -= -DEBT_NS - ahead;
		ahead = -DEBT_NS;
	}
	return ahead;
}

/* True if a woken task preempts at once. A task woken by an interrupt does unless it has already
 * run longer than the current task; otherwise a task that keeps sleeping for less than a context
 * switch would starve all others. */
static bool goes_first(struct task *task, uint32_t cpu)
{
	bool interrupt = this_cpu_read(irq_depth);

	if (is_idle(cpu))
		return interrupt;
	return advantage(task, cpu) > (interrupt ? 0 : ADVANTAGE_NS);
}

void task_wake(struct task *task)
{
	uint64_t flags = irq_save();

	if (task->state == TASK_SLEEPING) {
		task->state = TASK_RUNNABLE;
		if (!task->on_cpu) {
			uint32_t cpu = choose_cpu(task);

			sched_calls.wake(task, cpu, goes_first(task, cpu));
		}
	}
	irq_restore(flags);
}

void task_poke(struct task *task)
{
	task_wake(task);
	if (task->on_cpu)
		kick(task->cpu);
}

void task_start(struct task *task)
{
	uint64_t flags = irq_save();

	task->state = TASK_RUNNABLE;
	task->lead_ns = account_of(current_task());
	sched_calls.wake(task, choose_cpu(task), false);
	irq_restore(flags);
}

/*
 * Charges `payer` for time that `other` has spent on a switch because of it: a task that is woken
 * pays for the one it preempts, a task that sleeps for the one that continues. Otherwise a task
 * that sleeps for less than the events of a switch take would leave the others no time.
 */
static void charge_switch(struct task *payer, struct task *other, uint64_t ns)
{
	payer->lead_ns += (int64_t)ns;
	other->lead_ns -= (int64_t)ns;
}

/* The second half of a switch, on the new task's stack. */
static void switch_finish(void)
{
	struct task *task = current_task(), *from = this_queue()->from;

	from->on_cpu = false;
	task->switched_in_ns = clock_ns();
	if (task->fpu)
		fpu_load(task->fpu);
	if (signal_pending(task))
		this_cpu()->return_work = 1;
	traps_trace_task(task->calls_traced);
	if (task->tsc_off != this_cpu_read(tsc_off))
		features_deny_tsc(task->tsc_off);
	if (task->process && !list_empty(&task->process->alarms))
		alarms_switch_in(task);
	if (perf_hooks.switch_in)
		perf_hooks.switch_in(from, task);
	if (task->perf && from->state != TASK_RUNNABLE)
		charge_switch(from, task, clock_ns() - task->switched_in_ns);
	if (from->state == TASK_DEAD)
		task_put(from);
}

/* The task last ran on another processor, or never. */
static void arrive(struct task *task)
{
	task->migrated = task->has_run;
	task->last_cpu = this_cpu_read(id);
	if (task->rseq)
		this_cpu()->return_work = 1;
}

/* Called with interrupts masked. */
static void switch_to(struct run_queue *queue, struct task *prev, struct task *next)
{
	uint64_t since = prev->perf ? clock_ns() : 0;

	if (perf_hooks.switch_out)
		perf_hooks.switch_out(prev, next);
	if (since && prev->state == TASK_RUNNABLE)
		charge_switch(next, prev, clock_ns() - since);
	task_account_switch(prev);
	if (prev->fpu)
		fpu_save(prev->fpu);
	next->on_cpu = true;
	next->migrated = false;
	if (next->last_cpu != this_cpu_read(id))
		arrive(next);
	next->has_run = true;
	next->cpu = this_cpu_read(id);
	queue->from = prev;
	queue->switches++;
	this_cpu()->current = next;
	paging_load(next->mm ? next->mm->root_phys : paging_kernel_root());
	if (!next->kernel_thread) {
		traps_set_kernel_stack(next->stack_top);
		switch_tls(next->fs_base, next->gs_base);
	}
	context_switch(&prev->kernel_rsp, next->kernel_rsp);
	switch_finish();
}

/* Returns the first task in the queue that may run on `cpu`, among the first STEAL_LOOKS; NULL:
 * none. */
static struct task *first_for(const struct run_queue *queue, uint32_t cpu)
{
	struct tree_node *node = queue->tasks.first;

	for (unsigned i = 0; node && i < STEAL_LOOKS; i++, node = tree_next(node)) {
		struct task *task = container_of(node, struct task, run_node);

		if (may_use(task, cpu))
			return task;
	}
	return NULL;
}

/* Takes the next task that may run here from another processor's longest queue; NULL: there is
 * none. */
static struct task *steal(void)
{
	uint32_t own = this_cpu_read(id), most = 0;
	struct task *task, *best = NULL;

	for (uint32_t i = 0; i < nr_cpus; i++) {
		if (i == own || run_queues[i].waiting <= most)
			continue;
		task = first_for(&run_queues[i], own);
		if (!task)
			continue;
		best = task;
		most = run_queues[i].waiting;
	}
	return best;
}

/* Takes the next task out of a queue, or returns the idle task if no task is waiting. */
static struct task *pick(struct run_queue *queue)
{
	struct task *next =
	    queue->tasks.first ? container_of(queue->tasks.first, struct task, run_node) : steal();

	if (!next)
		return queue->idle;
	dequeue(next);
	return next;
}

/*
 * Returns the processor where a runnable task waits for its next turn. After a full slice that is
 * another processor if no more tasks wait there: tasks that share processors rotate, and three
 * tasks on two processors get two thirds of a processor each.
 */
static uint32_t next_turn(const struct run_queue *queue, const struct task *task)
{
	uint32_t own = this_cpu_read(id), best = own, least = queue->waiting + 1;

	if (!may_use(task, own))
		return choose_cpu(task);
	if (!queue->turn_over || !queue->waiting)
		return own;
	for (uint32_t i = own + 1; i < own + nr_cpus; i++) {
		uint32_t cpu = i % nr_cpus, load = load_of(cpu);

		if (may_use(task, cpu) && load < least) {
			best = cpu;
			least = load;
		}
	}
	return best;
}

/* Requeues a task whose turn is over. */
static void requeue(struct run_queue *queue, struct task *task)
{
	uint32_t cpu = next_turn(queue, task);

	if (cpu != this_cpu_read(id)) {
		if (!is_idle(cpu))
			advantage(task, cpu);
		sched_calls.move(task, cpu, false);
		return;
	}
	insert(queue, task, account_of(task) + (queue->yields ? ADVANTAGE_NS : 0));
}

void schedule(void)
{
	uint64_t flags = irq_save();
	struct run_queue *queue = this_queue();
	struct task *prev = current_task(), *next;

	queue->reschedule = false;
	if (prev->state == TASK_RUNNABLE && prev != queue->idle)
		requeue(queue, prev);
	queue->turn_over = queue->yields = false;
	next = pick(queue);
	if (timer_armed(&queue->slice))
		timer_cancel(&queue->slice);
	slice_update(queue);
	if (next != prev)
		switch_to(queue, prev, next);
	irq_restore(flags);
}

/* As on Linux, yields to tasks that are at most ADVANTAGE_NS ahead. */
void sched_yield(void)
{
	this_queue()->yields = true;
	schedule();
}

void sched_user_return(void)
{
	uint64_t flags;

	while (this_queue()->reschedule)
		schedule();
	if (!this_queue()->arrivals)
		return;
	flags = irq_save();
	slice_update(this_queue());
	irq_restore(flags);
}

bool sched_pause(void)
{
	if (this_queue()->reschedule) {
		current_task()->pausing = true;
		schedule();
		current_task()->pausing = false;
	}
	if (this_cpu()->locked)
		kernel_lock_pass();
	return !task_must_exit(current_task());
}

void sched_set_affinity(struct task *task, const struct cpu_mask *mask)
{
	uint64_t flags = irq_save();

	task->affinity = *mask;
	if (may_use(task, task->cpu)) {
		irq_restore(flags);
		return;
	}
	if (task->on_cpu) {
		reschedule(task->cpu);
	} else if (task->state == TASK_RUNNABLE) {
		dequeue(task);
		sched_calls.move(task, choose_cpu(task), false);
	}
	irq_restore(flags);
	if (task == current_task())
		schedule();
	while (task->on_cpu && !may_use(task, task->cpu)) {
		kernel_lock_pass();
		sched_user_return(); /* it may wait for us in the same way */
	}
}

void sched_first(void)
{
	switch_finish();
	irq_enable();
}

void sched_exit(void)
{
	irq_disable();
	schedule();
	__builtin_unreachable();
}

uint64_t task_runtime_ns(const struct task *task)
{
	return task->runtime_ns + (task->on_cpu ? clock_ns() - task->switched_in_ns : 0);
}

uint64_t sched_switches(uint32_t cpu)
{
	return run_queues[cpu].switches;
}
