/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals from programs to the running task. */
#include <linux/errno.h>
#include <linux/signal.h>
#include "bpf/cpu.h"
#include "bpf/helper_body.h"
#include "kernel/signal/signal.h"
#include "kernel/task/task.h"

/* Finds the task again: it may have ended before the interrupt. */
static void deliver(struct irq_work *work)
{
	struct bpf_signal *signal = container_of(work, struct bpf_signal, work);
	siginfo_t info = {.si_signo = signal->signo, .si_code = SI_KERNEL};
	struct task *task;

	list_for_each(task, &all_tasks, task_link)
		if (task == signal->task) {
			signal_queue(task, signal->whole_process, &info);
			break;
		}
	__atomic_store_n(&signal->pending, 0, __ATOMIC_RELEASE);
}

/* A program runs with interrupts masked, perhaps in an NMI: the signal is sent afterwards. */
static uint64_t send(uint64_t signo, bool whole_process)
{
	struct bpf_signal *signal = &bpf_this_cpu()->signal;
	struct task *task = current_task();

	if (task->kernel_thread || task->pid == 1 || task->process->exiting)
		return ERROR(EPERM);
	if (signo > NR_SIGNALS)
		return ERROR(EINVAL);
	if (!signo)
		return 0;
	if (__atomic_exchange_n(&signal->pending, 1, __ATOMIC_ACQUIRE))
		return ERROR(EBUSY);
	signal->work.run = deliver;
	signal->task = task;
	signal->signo = (int)signo;
	signal->whole_process = whole_process;
	irq_work_queue(&signal->work);
	return 0;
}

HELPER(send_signal)
{
	(void)run;
	return send((uint32_t)a[0], true);
}

HELPER(send_signal_thread)
{
	(void)run;
	return send((uint32_t)a[0], false);
}
