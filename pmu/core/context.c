/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts: the events of one task or one processor.  Only its processor changes an active context,
 * with interrupts masked, because PMIs read it; others send it the change (context_run). The kernel
 * lock covers contexts that are active nowhere.
 */
#include "arch/x86/apic/tsc.h"
#include "kernel/base/assert.h"
#include "kernel/mem/memory.h"
#include "pmu/base/context.h"
#include "pmu/core/core.h"
#include "pmu/core/state.h"

void context_init(struct context *ctx, struct task *task)
{
	ctx->refs = 1;
	ctx->task = task;
	list_init(&ctx->pinned);
	list_init(&ctx->flexible);
	list_init(&ctx->events);
	list_init(&ctx->steady);
	for (unsigned i = 0; i < PERF_COUNT_SW_MAX; i++)
		list_init(&ctx->software[i]);
}

void context_get(struct context *ctx)
{
	__atomic_add_fetch(&ctx->refs, 1, __ATOMIC_RELAXED);
}

static void context_free(struct context *ctx)
{
	kfree(ctx->lbr);
	kfree(ctx->breakpoints);
	kfree(container_of(ctx, struct perf_task, ctx));
}

void context_put(struct context *ctx)
{
	KASSERT(ctx->refs > 0);
	if (__atomic_sub_fetch(&ctx->refs, 1, __ATOMIC_ACQ_REL) == 0)
		context_free(ctx);
}

static void update_here(void *argument)
{
	struct perf_event *event = argument;

	event->pmu->read(event);
}

/* Activates the new context of the task that runs here. */
static void join(void *argument)
{
	sched_task_in(this_pmu_cpu(), argument);
}

void event_update_there(struct perf_event *event)
{
	remote_call(event->ctx->cpu, update_here, event);
}

struct context *context_make(struct task *task)
{
	struct perf_task *own = kalloc(sizeof(*own));

	if (!own)
		return NULL;
	context_init(&own->ctx, task);
	list_init(&own->owned);
	task->perf = own;
	if (cpus[task->cpu]->current == task)
		remote_call(task->cpu, join, &own->ctx);
	return &own->ctx;
}

/* True if the group may stay on while its task is off: it is a single counting event, and its times
 * are not read from a user page. */
static bool is_steady(const struct perf_event *leader)
{
	return leader->pmu->caps & PMU_STEADY && !leader->ctx->of_cpu && leader->cpu == -1 &&
	       !event_is_sampling(leader) && !leader->nr_siblings &&
	       !leader->ring; /* an inherited one has no user page */
}

static struct list *group_list(const struct perf_event *leader)
{
	struct context *ctx = leader->ctx;

	if (leader->steady)
		return &ctx->steady;
	return leader->attr.pinned ? &ctx->pinned : &ctx->flexible;
}

static void add_to_groups(struct perf_event *leader)
{
	leader->steady = is_steady(leader);
	list_add_tail(group_list(leader), &leader->group_link);
}

void context_unsteady(struct perf_event *event)
{
	if (!event->steady || !event->attached) /* exec took it out: it is in no list */
		return;
	event->steady = false;
	if (!event->ctx->active)
		event_sched_out(event);
	list_remove(&event->group_link);
	list_add_tail(group_list(event), &event->group_link);
}

void context_attach(struct perf_event *event)
{
	struct context *ctx = event->ctx;
	struct perf_event *leader = event->leader;
	bool outermost = change_begin();

	KASSERT(!event->attached);
	KASSERT(context_is_here(ctx));
	event->attached = true;
	if (event->state == EVENT_INACTIVE && !event_group_runs(event)) {
		event->away = true;
		event->state = EVENT_OFF;
	}
	event->stamp = context_time(ctx, change_now());
	list_add_tail(&ctx->events, &event->event_link);
	if (event_has_frequency(event))
		ctx->nr_freq++;
	ctx->nr_recording += event_is_recording(event);
	if (leader == event) {
		add_to_groups(event);
	} else {
		context_unsteady(leader);
		list_add_tail(&leader->siblings, &event->group_link);
		leader->nr_siblings++;
		leader->changes++;
	}
	group_update_sizes(leader);
	if (event->state == EVENT_INACTIVE)
		sched_event_ready(event);
	change_end(outermost);
}

void context_detach(struct perf_event *event)
{
	struct context *ctx = event->ctx;
	bool outermost;

	if (!event->attached)
		return;
	KASSERT(context_is_here(ctx));
	outermost = change_begin();
	if (event->state == EVENT_ACTIVE)
		event_sched_out(event);
	event_set_state(event, EVENT_OFF);
	KASSERT(event->attached);
	KASSERT(!event_has_frequency(event) || ctx->nr_freq > 0);
	event->attached = false;
	list_remove(&event->event_link);
	if (event->leader == event)
		list_remove(&event->group_link);
	if (event_has_frequency(event))
		ctx->nr_freq--;
	ctx->nr_recording -= event_is_recording(event);
	change_end(outermost);
}

static void leave_group(struct perf_event *sibling)
{
	KASSERT(sibling->leader != sibling);
	KASSERT(sibling->leader->nr_siblings > 0);
	sibling->leader->nr_siblings--;
	sibling->leader->changes++;
	list_remove(&sibling->group_link);
	sibling->leader = sibling;
}

/*
 * Makes a sibling of a removed leader a leader. It keeps counting, or starts if only the leader's
 * state (off, or in error) prevented it.
 */
static void promote(struct perf_event *sibling)
{
	fold_times(sibling, change_now());
	leave_group(sibling);
	group_update_sizes(sibling);
	if (!sibling->attached)
		return;
	add_to_groups(sibling);
	if (sibling->state == EVENT_INACTIVE)
		sched_event_ready(sibling);
}

static __attribute__((noinline)) void dissolve(struct perf_event *leader)
{
	struct perf_event *sibling, *next;
	bool outermost = change_begin();

	list_for_each_safe(sibling, next, &leader->siblings, group_link)
		promote(sibling);
	group_update_sizes(leader);
	change_end(outermost);
}

void group_detach(struct perf_event *event)
{
	struct perf_event *leader = event->leader;

	if (leader == event) {
		if (event->nr_siblings)
			dissolve(event);
	} else if (!list_empty(
		       &event->group_link)) { /* it joined: opening may fail before it does */
		leave_group(event);
		group_update_sizes(leader);
	}
}
