/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of the own process or thread: prctl(2), arch_prctl(2), personality(2). */
#include <asm/prctl.h>
#include <linux/errno.h>
#include <linux/personality.h>
#include <linux/prctl.h>
#include "api/calls.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/features.h"
#include "arch/x86/cpu/switch.h"
#include "kernel/base/hooks.h"
#include "kernel/base/string.h"
#include "kernel/mem/user.h"
#include "kernel/process/process.h"
#include "kernel/signal/signal.h"

#define SLACK_NS 50000 /* Linux's default; timers here have none */

static long set_name(uint64_t user)
{
	struct task *task = current_task();
	char text[TASK_NAME] = {0}, name[TASK_NAME];

	if (copy_string_from_user(text, user, sizeof(text)) == -EFAULT)
		return -EFAULT;
	text[sizeof(text) - 1] = 0;
	task_name(name, text);
	task_rename(task, name);
	if (perf_hooks.comm)
		perf_hooks.comm(task, false);
	return 0;
}

static long int_to_user(uint64_t user, int value)
{
	return copy_to_user(user, &value, sizeof(value));
}

static long timer_slack(struct task *task, bool set, uint64_t ns)
{
	if (!set)
		return task->slack_ns ? (long)task->slack_ns : SLACK_NS;
	task->slack_ns = (int64_t)ns > 0 ? ns : task->usual_slack_ns;
	return 0;
}

static long set_tsc(struct task *task, uint64_t mode)
{
	uint64_t flags;

	if (mode != PR_TSC_ENABLE && mode != PR_TSC_SIGSEGV)
		return -EINVAL;
	flags = irq_save();
	task->tsc_off = mode == PR_TSC_SIGSEGV;
	features_deny_tsc(task->tsc_off);
	irq_restore(flags);
	return 0;
}

long sys_prctl(uint64_t option, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5)
{
	struct task *task = current_task();

	switch ((int)option) {
	case PR_SET_NAME:
		return set_name(arg2);
	case PR_GET_NAME:
		return copy_to_user(arg2, task->comm, sizeof(task->comm));
	case PR_TASK_PERF_EVENTS_ENABLE:
	case PR_TASK_PERF_EVENTS_DISABLE:
		if (perf_hooks.task_enable)
			perf_hooks.task_enable((int)option == PR_TASK_PERF_EVENTS_ENABLE);
		return 0;
	case PR_SET_PDEATHSIG:
		if (arg2 > NR_SIGNALS)
			return -EINVAL;
		task->death_signal = (int)arg2;
		return 0;
	case PR_GET_PDEATHSIG:
		return int_to_user(arg2, task->death_signal);
	case PR_SET_TIMERSLACK:
	case PR_GET_TIMERSLACK:
		return timer_slack(task, (int)option == PR_SET_TIMERSLACK, arg2);
	case PR_SET_CHILD_SUBREAPER:
		task->process->subreaper = arg2;
		return 0;
	case PR_GET_CHILD_SUBREAPER:
		return int_to_user(arg2, task->process->subreaper);
	case PR_GET_TID_ADDRESS:
		return copy_to_user(arg2, &task->clear_child_tid, sizeof(task->clear_child_tid));
	case PR_GET_TSC:
		return int_to_user(arg2, task->tsc_off ? PR_TSC_SIGSEGV : PR_TSC_ENABLE);
	case PR_SET_TSC:
		return set_tsc(task, arg2);
	case PR_GET_SECCOMP:
	case PR_GET_THP_DISABLE:
		return arg2 | arg3 | arg4 | arg5 && (int)option == PR_GET_THP_DISABLE ? -EINVAL : 0;
	default:
		return prctl_credentials((int)option, arg2, arg3, arg4, arg5);
	}
}

/* Linux's own execution domain; its flag against address randomisation has no effect, since
 * addresses are never random. */
long sys_personality(uint64_t persona)
{
	struct process *process = current_task()->process;
	uint32_t old = process->personality;

	if ((uint32_t)persona == UINT32_MAX)
		return old;
	if ((uint32_t)persona & ~(uint32_t)ADDR_NO_RANDOMIZE)
		return -EINVAL;
	process->personality = (uint32_t)persona;
	return old;
}

/* Sets a thread pointer: the task's copy and the register. */
static long set_base(uint64_t *base, uint64_t value)
{
	struct task *task = current_task();
	uint64_t flags;

	if (value >= USER_END)
		return -EPERM;
	flags = irq_save();
	*base = value;
	switch_tls(task->fs_base, task->gs_base);
	irq_restore(flags);
	return 0;
}

long sys_arch_prctl(uint64_t option, uint64_t value)
{
	struct task *task = current_task();

	switch (option) {
	case ARCH_SET_FS:
		return set_base(&task->fs_base, value);
	case ARCH_SET_GS:
		return set_base(&task->gs_base, value);
	case ARCH_GET_FS:
		return copy_to_user(value, &task->fs_base, sizeof(task->fs_base));
	case ARCH_GET_GS:
		return copy_to_user(value, &task->gs_base, sizeof(task->gs_base));
	default:
		return -EINVAL;
	}
}
