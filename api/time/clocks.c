/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks by number, including the processor time of tasks: clock_gettime(2), clock_getres(2). */
#include <linux/errno.h>
#include <linux/time.h>
#include "abi/vdso.h"
#include "api/calls.h"
#include "api/time/clock.h"
#include "arch/x86/apic/tsc.h"
#include "kernel/mem/user.h"
#include "kernel/process/process.h"
#include "kernel/task/pids.h"
#include "kernel/time/clock.h"

/* Numbers of processor clocks are negative: ~pid << 3, optionally PER_THREAD, and a kind. */
#define PER_THREAD 4
/* Kinds of processor time: user and system, user, scheduled; all are equal here. */
#define KINDS     3
#define KIND_BEST 2

/* Returns the task of a negative clock number, with a reference, or NULL. */
static struct task *clock_task(int clock)
{
	int pid = ~clock >> 3;
	struct task *own = current_task(), *task;
	bool thread = clock & PER_THREAD;

	if ((clock & 3) >= KINDS)
		return NULL;
	task = task_find(pid ? pid : thread ? own->pid : own->tgid);
	if (!task)
		return NULL;
	if (thread ? task->tgid == own->tgid : task->pid == task->tgid)
		return task;
	task_put(task);
	return NULL;
}

int clock_find(int clock, struct clock_id *id)
{
	struct task *task = current_task();

	*id = (struct clock_id){.clock = ALARM_TIME};
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI:
		id->offset = (uint64_t)clock_real_ns() - clock_ns();
		return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		return 0;
	case CLOCK_PROCESS_CPUTIME_ID:
		id->clock = ALARM_PROCESS;
		break;
	case CLOCK_THREAD_CPUTIME_ID:
		id->clock = ALARM_THREAD;
		break;
	default:
		task = clock < 0 ? clock_task(clock) : NULL;
		if (!task)
			return -EINVAL;
		id->clock = clock & PER_THREAD ? ALARM_THREAD : ALARM_PROCESS;
		id->task = task;
		return 0;
	}
	task_get(task);
	id->task = task;
	return 0;
}

void clock_put(struct clock_id *id)
{
	if (id->task)
		task_put(id->task);
}

uint64_t clock_now(const struct clock_id *id)
{
	struct usage usage;

	if (id->clock == ALARM_TIME)
		return clock_ns() + id->offset;
	if (id->clock == ALARM_THREAD)
		return task_runtime_ns(id->task);
	process_usage(id->task->process, &usage);
	return usage.runtime_ns;
}

long sys_clock_gettime(uint64_t clock, uint64_t user)
{
	struct clock_id id;
	int err = clock_find((int)clock, &id);

	if (err)
		return err;
	err = ns_to_user(user, clock_now(&id));
	clock_put(&id);
	return err;
}

static bool is_coarse(int clock)
{
	return clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE ||
	       (clock < 0 && (clock & 3) != KIND_BEST);
}

long sys_clock_getres(uint64_t clock, uint64_t user)
{
	struct clock_id id;
	int err = clock_find((int)clock, &id);

	if (err)
		return err;
	clock_put(&id);
	return user ? ns_to_user(user, is_coarse((int)clock) ? VDSO_COARSE_NS : 1) : 0;
}
