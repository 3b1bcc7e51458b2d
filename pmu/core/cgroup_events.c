/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of control groups: a processor's event that is off, as if disabled, while the current task
 * is outside the event's group. The hook of task switches leads here only while such an event
 * exists.
 */
#include "arch/x86/trap/remote.h"
#include "kernel/base/assert.h"
#include "kernel/base/hooks.h"
#include "kernel/task/membership/cgroup.h"
#include "pmu/base/cpu.h"
#include "pmu/core/core.h"
#include "pmu/core/state.h"

void (*cgroup_switched)(void);
static uint32_t users; /* events of groups, and of their switches */
static void (*plain_switch_in)(struct task *prev, struct task *next);

/* Turns groups on or off to match the task: first off, to free counters. */
static void settle(struct pmu_cpu *cpu, const struct task *task)
{
	bool outermost = change_begin();
	struct perf_event *event;

	list_for_each(event, &cpu->ctx.events, event_link)
		if (event->cgroup && event->leader == event && event->state >= EVENT_INACTIVE &&
		    !cgroup_has(event->cgroup, task)) {
			group_sched_out(event);
			if (event->state == EVENT_INACTIVE) {
				event_set_state(event, EVENT_OFF);
				event->away = true;
			}
		}
	list_for_each(event, &cpu->ctx.events, event_link)
		if (event->away && cgroup_has(event->cgroup, task)) {
			event->away = false;
			event_set_state(event, EVENT_INACTIVE);
			sched_event_ready(event);
		}
	change_end(outermost);
}

static void switch_in(struct task *prev, struct task *next)
{
	plain_switch_in(prev, next);
	if (cgroup_of(prev) == cgroup_of(next) && prev->cgroup_v1 == next->cgroup_v1)
		return;
	if (cgroup_of_events(prev) != cgroup_of_events(next) &&
	    software_wanted(PERF_COUNT_SW_CGROUP_SWITCHES))
		cgroup_switched();
	settle(this_pmu_cpu(), next);
}

void cgroup_watch(bool on)
{
	KASSERT(on || users > 0);
	if (on && !users++) {
		plain_switch_in = perf_hooks.switch_in;
		perf_hooks.switch_in = switch_in;
	} else if (!on && !--users) {
		perf_hooks.switch_in = plain_switch_in;
	}
}

static void settle_here(void *unused)
{
	(void)unused;
	settle(this_pmu_cpu(), current_task());
}

void cgroup_moved(void)
{
	if (users)
		remote_call_all(settle_here, NULL);
}

void event_set_cgroup(struct perf_event *event, struct cgroup *group)
{
	event->cgroup = group;
	cgroup_get(group);
	cgroup_watch(true);
}

void event_drop_cgroup(struct perf_event *event)
{
	if (!event->cgroup)
		return;
	cgroup_watch(false);
	cgroup_put(event->cgroup);
}

bool event_group_runs(const struct perf_event *event)
{
	return !event->cgroup || event->leader != event ||
	       cgroup_has(event->cgroup, current_task());
}
