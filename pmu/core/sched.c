/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling of events: groups are scheduled as units, in the order processor pinned, task pinned,
 * processor flexible, task flexible.
 *
 * A pinned group that does not fit is in error; flexible ones rotate (tick.c). Context of all:
 * interrupts masked on the processor that the contexts are active on. docs/essays.md, "The event
 * core", has a drawing.
 */
#include "arch/x86/apic/tsc.h"
#include "kernel/base/assert.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/core/core.h"
#include "pmu/core/state.h"
#include "pmu/record/sideband.h"
#include "pmu/record/userpage.h"

static void pause_hardware(void)
{
	if (hardware_pmu)
		hardware_pmu->pause();
}

static void resume_hardware(void)
{
	if (hardware_pmu)
		hardware_pmu->resume();
}

/* Starts one event; false when its PMU has no free counter for it. */
static bool event_sched_in(struct perf_event *event)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	if (event->state <= EVENT_OFF)
		return true;
	if (event->hw.throttled) {
		event->hw.throttled = false;
		records_throttle(event, false);
	}
	event_set_state(event, EVENT_ACTIVE);
	if (event->pmu->add(event)) {
		event_set_state(event, EVENT_INACTIVE);
		return false;
	}
	if (!event_is_software(event)) {
		cpu->nr_active++;
		if (event->attr.exclusive)
			cpu->exclusive = true;
	}
	userpage_update(event);
	return true;
}

void event_sched_out(struct perf_event *event)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	if (event->state != EVENT_ACTIVE)
		return;
	event->pmu->del(event);
	if (event->pending_disable) {
		event->pending_disable = false;
		event_set_state(event, EVENT_OFF);
	} else {
		event_set_state(event, EVENT_INACTIVE);
	}
	if (!event_is_software(event)) {
		KASSERT(cpu->nr_active > 0);
		cpu->nr_active--;
		if (event->attr.exclusive)
			cpu->exclusive = false;
	}
	userpage_update(event);
}

void group_sched_out(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (leader->state != EVENT_ACTIVE)
		return;
	if (leader->nr_siblings)
		pause_hardware();
	event_sched_out(leader);
	event_for_each_sibling(sibling, leader)
		event_sched_out(sibling);
	if (leader->nr_siblings)
		resume_hardware();
}

/* Starts all members of the group, or none. */
static bool members_sched_in(struct perf_event *leader)
{
	struct perf_event *sibling;

	if (!event_sched_in(leader))
		return false;
	event_for_each_sibling(sibling, leader)
		if (!event_sched_in(sibling)) {
			group_sched_out(leader);
			return false;
		}
	return true;
}

/* Starts a group, whose members all begin to count at the same moment. */
static bool group_sched_in(struct perf_event *leader)
{
	bool fits;

	if (!leader->nr_siblings)
		return event_sched_in(leader);
	pause_hardware();
	fits = members_sched_in(leader);
	resume_hardware();
	return fits;
}

static bool group_is_software(const struct perf_event *leader)
{
	const struct perf_event *sibling;

	if (!event_is_software(leader))
		return false;
	event_for_each_sibling(sibling, leader)
		if (!event_is_software(sibling))
			return false;
	return true;
}

/* True when the group may be tried; `room` is false once an earlier group did not fit. */
static bool group_may_go_on(const struct pmu_cpu *cpu, const struct perf_event *leader, bool room)
{
	if (group_is_software(leader))
		return true;
	return room && !cpu->exclusive && !(leader->attr.exclusive && cpu->nr_active);
}

static void group_did_not_fit(struct pmu_cpu *cpu, struct perf_event *leader)
{
	uint64_t turn_ends = change_now() + mux_interval_ns;

	if (leader->attr.pinned) {
		event_set_state(leader, EVENT_ERROR);
		return;
	}
	leader->ctx->rotate = true;
	if (!cpu->tick_armed || cpu->turn_ends > turn_ends)
		cpu->turn_ends = turn_ends;
	tick_need(cpu);
}

static void list_sched_in(struct pmu_cpu *cpu, struct list *groups)
{
	struct perf_event *leader;
	bool room = true;

	list_for_each(leader, groups, group_link) {
		if (leader->state != EVENT_INACTIVE || !event_matches_cpu(leader))
			continue;
		if (group_may_go_on(cpu, leader, room) && group_sched_in(leader))
			continue;
		room = false;
		group_did_not_fit(cpu, leader);
	}
}

static void list_sched_out(struct list *groups)
{
	struct perf_event *leader;

	list_for_each(leader, groups, group_link)
		group_sched_out(leader);
}

/* Starts the flexible groups: first the processor's, then the task's. */
static void flexible_sched_in(struct pmu_cpu *cpu)
{
	cpu->ctx.rotate = false;
	list_sched_in(cpu, &cpu->ctx.flexible);
	if (cpu->task_ctx) {
		cpu->task_ctx->rotate = false;
		list_sched_in(cpu, &cpu->task_ctx->flexible);
	}
}

static void flexible_sched_out(struct pmu_cpu *cpu)
{
	if (cpu->task_ctx)
		list_sched_out(&cpu->task_ctx->flexible);
	list_sched_out(&cpu->ctx.flexible);
}

/* Stops all groups and starts them again in order of priority. */
static void sched_again(struct pmu_cpu *cpu)
{
	pause_hardware();
	flexible_sched_out(cpu);
	if (cpu->task_ctx)
		list_sched_out(&cpu->task_ctx->pinned);
	list_sched_out(&cpu->ctx.pinned);
	list_sched_in(cpu, &cpu->ctx.pinned);
	if (cpu->task_ctx)
		list_sched_in(cpu, &cpu->task_ctx->pinned);
	flexible_sched_in(cpu);
	resume_hardware();
}

/* Schedules the group of a member that was enabled: it runs with the member, or stops. */
static void sibling_ready(struct pmu_cpu *cpu, struct perf_event *sibling)
{
	struct perf_event *leader = sibling->leader;

	if (leader->state != EVENT_ACTIVE || event_sched_in(sibling))
		return;
	group_sched_out(leader);
	group_did_not_fit(cpu, leader);
}

void sched_event_ready(struct perf_event *event)
{
	struct pmu_cpu *cpu = this_pmu_cpu();

	if (!event->ctx->active && !event->steady)
		return;
	if (!event_matches_cpu(event)) {
		group_sched_out(event->leader);
		return;
	}
	if (event->leader != event) {
		sibling_ready(cpu, event);
		return;
	}
	if (group_may_go_on(cpu, event, true) && group_sched_in(event))
		return;
	/* Something of lower priority may have to give up its counter. */
	if (event->attr.pinned || event->ctx->of_cpu)
		sched_again(cpu);
	else
		group_did_not_fit(cpu, event);
}

/* True when the context has groups that switch with its task. */
static bool has_groups(const struct context *ctx)
{
	return !list_empty(&ctx->pinned) || !list_empty(&ctx->flexible);
}

/* Pinned groups of the task come before the processor's flexible ones, which stop to make room. */
static void groups_sched_in(struct pmu_cpu *cpu, struct context *ctx)
{
	bool yield = !list_empty(&ctx->pinned) && !list_empty(&cpu->ctx.flexible);

	pause_hardware();
	if (yield)
		list_sched_out(&cpu->ctx.flexible);
	list_sched_in(cpu, &ctx->pinned);
	if (yield) {
		flexible_sched_in(cpu);
	} else {
		ctx->rotate = false;
		list_sched_in(cpu, &ctx->flexible);
	}
	resume_hardware();
}

void sched_task_in(struct pmu_cpu *cpu, struct context *ctx)
{
	bool outermost = change_begin();

	ctx->active = true;
	ctx->cpu = this_cpu_read(id);
	ctx->offset = ctx->time - change_now();
	cpu->task_ctx = ctx;
	software_kinds_changed(cpu);
	if (has_groups(ctx))
		groups_sched_in(cpu, ctx);
	change_end(outermost);
}

void sched_task_out(struct pmu_cpu *cpu, struct context *ctx)
{
	bool outermost = change_begin();

	if (has_groups(ctx)) {
		pause_hardware();
		list_sched_out(&ctx->flexible);
		list_sched_out(&ctx->pinned);
		resume_hardware();
	}
	ctx->time = context_time(ctx, change_now());
	ctx->active = false;
	cpu->task_ctx = NULL;
	software_kinds_changed(cpu);
	/* Leaves the debug registers loaded: the next task may need the same values. */
	if (outermost)
		cpu->change_time = 0;
}

/* Moves the first running group to the end of the list. */
static void rotate_list(struct context *ctx)
{
	struct perf_event *leader;

	list_for_each(leader, &ctx->flexible, group_link)
		if (leader->state == EVENT_ACTIVE) {
			list_sched_out(&ctx->flexible);
			list_remove(&leader->group_link);
			list_add_tail(&ctx->flexible, &leader->group_link);
			return;
		}
}

void sched_rotate(struct pmu_cpu *cpu)
{
	bool outermost = change_begin();

	pause_hardware();
	if (cpu->task_ctx && cpu->task_ctx->rotate)
		rotate_list(cpu->task_ctx);
	if (cpu->ctx.rotate)
		rotate_list(&cpu->ctx);
	flexible_sched_out(cpu);
	flexible_sched_in(cpu);
	resume_hardware();
	change_end(outermost);
}
