/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks at the end of each system call, and a bound on how long ring 0 runs without a pause: from
 * the start of a call, or from when the task was switched in, until the call ends or the task is
 * switched out. With several processors emulated time is the host's, so the bound is not checked.
 */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "kernel/base/log.h"
#include "kernel/debug/audit.h"
#include "kernel/debug/checks/context.h"
#include "kernel/debug/replace.h"
#include "kernel/task/sched.h"
#include "kernel/task/task.h"
#include "kernel/task/tracee.h"
#include "kernel/task/waitq.h"

#define LONGEST_NS 100000000ul

static struct {
	const char *call;  /* the call in progress; set again when another task is switched in */
	uint64_t begin_ns; /* 0: ring 0 is not at work */
} watch;

static bool killable; /* the sleep that begins disregards signals */

static void pause_ends(const char *call)
{
	watch.call = call;
	watch.begin_ns = clock_ns();
}

static void pause_begins(void)
{
	uint64_t ns = watch.begin_ns ? clock_ns() - watch.begin_ns : 0;

	watch.begin_ns = 0;
	if (checking && nr_cpus == 1 && ns > LONGEST_NS)
		panic("check: ring 0 was at work for %lu ms in %s()", ns / 1000000,
		      watch.call ? watch.call : "some call");
}

void check_call_begins(const char *name)
{
	if (nr_cpus == 1)
		pause_ends(name);
}

void check_call_ended(const char *name)
{
	uint64_t flags;

	check_context(CONTEXT_TASK | CONTEXT_UNMASKED, name);
	if (nr_cpus == 1)
		pause_begins();
	stack_check();
	flags = irq_save();
	events_check();
	irq_restore(flags);
}

/* A task must not begin an interruptible sleep while a signal is pending: nothing would wake it. A
 * tracee's stop is not such a sleep: its tracer ends it. */
static void sleep_check(const struct task *task)
{
	uint64_t flags = irq_save();

	if (task->state == TASK_SLEEPING && signal_pending(task) && !killable &&
	    !(task->trace && task->trace->stopped))
		panic("check: %s begins to sleep with a signal pending", task->comm);
	killable = false;
	irq_restore(flags);
}

REPLACE(int, waitq_sleep_killable, void)
{
	int err;

	killable = true;
	err = __real_waitq_sleep_killable();
	killable = false;
	return err;
}

REPLACE(void, schedule, void)
{
	const char *call;
	bool working;

	if (checking)
		stack_check();
	if (checking && nr_cpus == 1)
		sleep_check(current_task());
	working = watch.begin_ns;
	call = watch.call;
	pause_begins();
	__real_schedule();
	if (working)
		pause_ends(call);
}

/* A pause restarts the measurement. */
REPLACE(bool, sched_pause, void)
{
	const char *call = watch.call;
	bool working = watch.begin_ns, goes_on;

	pause_begins();
	goes_on = __real_sched_pause();
	if (working)
		pause_ends(call);
	return goes_on;
}
