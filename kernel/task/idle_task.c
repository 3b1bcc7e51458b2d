/* SPDX-License-Identifier: BSD-2-Clause */
/* The idle tasks, one for each processor: they run when no other task is runnable. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/idle.h"
#include "arch/x86/trap/kernel_lock.h"
#include "kernel/base/string.h"
#include "kernel/mem/memory.h"
#include "kernel/task/run_queue.h"
#include "kernel/task/sched.h"

void (*sched_idle_hook)(void);

uint64_t sched_idle_ns(uint32_t cpu)
{
	return task_runtime_ns(run_queues[cpu].idle);
}

static bool before(const struct tree_node *a, const struct tree_node *b)
{
	return container_of(a, struct task, run_node)->run_key <
	       container_of(b, struct task, run_node)->run_key;
}

static void idle_task_init(struct cpu *cpu, struct task *idle)
{
	struct run_queue *queue = &run_queues[cpu->id];

	queue->tasks.before = before;
	timer_init(&queue->slice, sched_slice_over);
	idle->kernel_thread = true;
	idle->flags = TASK_KTHREAD;
	idle->on_cpu = true;
	idle->cpu = idle->last_cpu = cpu->id;
	strlcpy(idle->comm, "idle", sizeof(idle->comm));
	idle->refs = 1;
	queue->idle = idle;
	cpu->current = idle;
}

void sched_init(void)
{
	static struct task idle;

	idle_init();
	idle_task_init(this_cpu(), &idle);
}

bool sched_init_processor(struct cpu *cpu)
{
	struct task *idle = kalloc(sizeof(*idle));

	if (idle)
		idle_task_init(cpu, idle);
	return idle;
}

bool sched_others_wait(void)
{
	return this_queue()->tasks.first;
}

/* Runs the idle loop without the kernel lock. */
void sched_idle(void)
{
	for (;;) {
		irq_disable();
		if (this_cpu()->locked)
			kernel_unlock();
		while (!this_queue()->tasks.first) {
			if (sched_idle_hook && nr_cpus == 1) {
				sched_idle_hook();
				if (this_queue()->tasks.first)
					break;
			}
			idle_wait();
			irq_disable();
		}
		kernel_enter();
		schedule();
	}
}
