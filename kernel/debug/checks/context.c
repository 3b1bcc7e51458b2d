/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that a function is called in a context that its header allows. */
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/trap/kernel_lock.h"
#include "arch/x86/trap/remote.h"
#include "kernel/base/log.h"
#include "kernel/debug/checks/context.h"
#include "kernel/debug/replace.h"
#include "kernel/task/task.h"

bool checking;

static uint32_t remote_depth[MAX_CPUS]; /* >0: runs what the holder of the lock asked for */

/* True if this processor holds the kernel lock, or the processor that waits for its remote call
 * does. */
static bool lock_held(const struct cpu *cpu)
{
	return nr_cpus == 1 || cpu->locked || remote_depth[cpu->id];
}

/* Returns a description of the violated rule, or NULL. */
static const char *violation(unsigned wanted)
{
	const struct cpu *cpu = this_cpu();
	bool masked = !(read_rflags() & RFLAGS_IF);

	if (wanted & CONTEXT_START)
		return "after the start";
	if (wanted & CONTEXT_MASKED && !masked)
		return "with interrupts enabled";
	if (wanted & CONTEXT_UNMASKED && masked)
		return "with interrupts masked";
	if (wanted & (CONTEXT_NO_NMI | CONTEXT_LOCKED | CONTEXT_TASK) && cpu->nmi_depth)
		return "in an NMI";
	if (wanted & CONTEXT_TASK && cpu->irq_depth)
		return "in an interrupt";
	if (wanted & (CONTEXT_LOCKED | CONTEXT_TASK) && !lock_held(cpu))
		return "without the kernel lock";
	return NULL;
}

void check_context(unsigned wanted, const char *name)
{
	const char *wrong = checking ? violation(wanted) : NULL;

	if (wrong)
		panic("check: %s() is called %s", name, wrong);
}

/* A remote call with the note that the lock is held for it. */
struct noted_call {
	remote_fn *fn;
	void *argument;
};

static void call_noted(void *argument)
{
	const struct noted_call *call = argument;
	uint32_t id = this_cpu_read(id);

	remote_depth[id]++;
	call->fn(call->argument);
	remote_depth[id]--;
}

REPLACE(void, remote_call_mask, const struct cpu_mask *mask, remote_fn *fn, void *argument)
{
	struct noted_call call = {fn, argument};

	__real_remote_call_mask(mask, call_noted, &call);
}

REPLACE(void, remote_call_all, remote_fn *fn, void *argument)
{
	struct noted_call call = {fn, argument};

	__real_remote_call_all(call_noted, &call);
}

REPLACE(void, remote_call, uint32_t cpu, remote_fn *fn, void *argument)
{
	struct noted_call call = {fn, argument};

	__real_remote_call(cpu, call_noted, &call);
}

/* Every panic calls this first: checks are off from here on. */
REPLACE(void, remote_stop_others, void)
{
	checking = false;
	__real_remote_stop_others();
}

/* The first processor's: the end of the start. */
REPLACE(_Noreturn void, sched_idle, void)
{
	if (!this_cpu_read(id))
		checking = true;
	__real_sched_idle();
	__builtin_unreachable();
}
