/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler: round robin, a run queue for each processor, a one-shot timer for the slice only
 * while tasks wait. */
#include "arch/x86/fpu.h"
#include "arch/x86/paging.h"
#include "arch/x86/spinlock.h"
#include "arch/x86/switch.h"
#include "arch/x86/traps.h"
#include "arch/x86/tsc.h"
#include "kernel/hooks.h"
#include "kernel/sched.h"
#include "kernel/signal.h"
#include "kernel/task.h"
#include "kernel/timer.h"
#include "kernel/vm.h"

#define SLICE_NS 4000000ull

static struct run_queue {
	struct spinlock lock;
	struct list tasks; /* runnable and not running; interrupts masked */
	struct task *idle;
	struct task *from; /* whom the switch that is under way leaves */
	struct timer slice;
	bool reschedule; /* the current task's turn is over */
} run_queues[MAX_CPUS];

static struct run_queue *this_queue(void)
{
	return &run_queues[this_cpu()->id];
}

/* Asks for schedule() at the next return to ring 3. */
static void reschedule(void)
{
	this_queue()->reschedule = true;
	this_cpu()->return_work = 1;
}

static void slice_over(struct timer *timer, struct frame *frame)
{
	(void)timer;
	(void)frame;
	reschedule();
}

/* The slice timer runs while somebody waits for the current task's end. Called with interrupts
 * masked. */
static void slice_update(struct run_queue *queue)
{
	bool wanted = !list_empty(&queue->tasks);

	if (wanted && list_empty(&queue->slice.link))
		timer_arm(&queue->slice, clock_ns() + SLICE_NS);
	else if (!wanted && !list_empty(&queue->slice.link))
		timer_cancel(&queue->slice);
}

void task_wake(struct task *task)
{
	uint64_t flags = irq_save();
	struct run_queue *queue = &run_queues[task->cpu];

	if (task->state == TASK_SLEEPING) {
		task->state = TASK_RUNNABLE;
		if (!task->on_cpu) {
			/* What an interrupt wakes goes first: somebody waits for it. */
			if (this_cpu()->irq_depth) {
				list_add_head(&queue->tasks, &task->run_link);
				reschedule();
			} else {
				list_add_tail(&queue->tasks, &task->run_link);
			}
			slice_update(queue);
		}
	}
	irq_restore(flags);
}

void task_start(struct task *task)
{
	uint64_t flags = irq_save();

	task->state = TASK_RUNNABLE;
	list_add_tail(&this_queue()->tasks, &task->run_link);
	slice_update(this_queue());
	irq_restore(flags);
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
	if (perf_hooks.switch_in)
		perf_hooks.switch_in(from, task);
	if (from->state == TASK_DEAD)
		task_put(from);
}

/* Called with interrupts masked. */
static void switch_to(struct run_queue *queue, struct task *prev, struct task *next)
{
	if (perf_hooks.switch_out)
		perf_hooks.switch_out(prev, next);
	if (prev->state == TASK_RUNNABLE)
		prev->nivcsw++;
	else
		prev->nvcsw++;
	prev->runtime_ns += clock_ns() - prev->switched_in_ns;
	if (prev->fpu)
		fpu_save(prev->fpu);
	next->on_cpu = true;
	queue->from = prev;
	this_cpu()->current = next;
	paging_load(next->mm ? next->mm->root_phys : paging_kernel_root());
	if (!next->kernel_thread) {
		traps_set_kernel_stack(next->stack_top);
		switch_tls(next->fs_base, next->gs_base);
	}
	context_switch(&prev->kernel_rsp, next->kernel_rsp);
	switch_finish();
}

void schedule(void)
{
	uint64_t flags = irq_save();
	struct run_queue *queue = this_queue();
	struct task *prev = current_task(), *next = queue->idle;

	queue->reschedule = false;
	if (prev->state == TASK_RUNNABLE && prev != queue->idle)
		list_add_tail(&queue->tasks, &prev->run_link);
	if (!list_empty(&queue->tasks)) {
		next = list_first(&queue->tasks, struct task, run_link);
		list_remove(&next->run_link);
	}
	if (!list_empty(&queue->slice.link))
		timer_cancel(&queue->slice);
	slice_update(queue);
	if (next != prev)
		switch_to(queue, prev, next);
	irq_restore(flags);
}

void sched_user_return(void)
{
	while (this_queue()->reschedule)
		schedule();
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

void sched_init(void)
{
	static struct task boot_idle;
	struct run_queue *queue = this_queue();

	list_init(&queue->tasks);
	timer_init(&queue->slice, slice_over);
	boot_idle.kernel_thread = true;
	boot_idle.on_cpu = true;
	boot_idle.comm[0] = 'i';
	boot_idle.comm[1] = 'd';
	boot_idle.comm[2] = 'l';
	boot_idle.comm[3] = 'e';
	boot_idle.refs = 1;
	queue->idle = &boot_idle;
	this_cpu()->current = &boot_idle;
}

void sched_idle(void)
{
	for (;;) {
		irq_disable();
		if (list_empty(&this_queue()->tasks))
			irq_enable_and_halt();
		else
			schedule();
	}
}
