/* SPDX-License-Identifier: BSD-2-Clause */
/* fork, exec and exit: inherited events, and the end of a task's events. Context of all: task. */
#include <linux/errno.h>
#include "arch/x86/apic/tsc.h"
#include "kernel/vm/vm.h"
#include "pmu/base/context.h"
#include "pmu/core/core.h"
#include "pmu/core/rdpmc.h"
#include "pmu/core/state.h"
#include "pmu/record/sideband.h"

/* Copies the event for the child, and links the copy to the event that was opened. Returns NULL
 * with *error 0 when that event is being closed. */
static struct perf_event *copy_event(struct perf_event *event, struct context *ctx,
				     struct perf_event *leader, int *error)
{
	struct perf_event *origin = event_origin(event);
	struct perf_event *copy = event_new(&origin->attr, origin->cpu, ctx, leader, origin, error);

	if (!copy)
		return NULL;
	/* The copy takes the event's current state, not the one of its opening. */
	copy->state = event->state >= EVENT_INACTIVE ? EVENT_INACTIVE : EVENT_OFF;
	copy->enable_on_exec = event->enable_on_exec;
	if (copy->attr.freq) {
		copy->hw.period = copy->hw.last_period = event->hw.period;
		copy->hw.period_left = (int64_t)event->hw.period;
	}
	if (origin->share)
		origin->share(copy, origin);
	list_add_tail(&origin->children, &copy->child_link);
	context_attach(copy);
	return copy;
}

static bool is_inherited(const struct perf_event *event, bool thread)
{
	return event->attr.inherit && (!event->attr.inherit_thread || thread);
}

static int copy_group(struct perf_event *leader, struct context *ctx, bool thread)
{
	struct perf_event *copy, *sibling;
	int error;

	if (!is_inherited(leader, thread))
		return 0;
	copy = copy_event(leader, ctx, NULL, &error);
	if (!copy)
		return error;
	event_for_each_sibling(sibling, leader)
		if (!copy_event(sibling, ctx, copy, &error))
			return error;
	copy->changes = leader->changes;
	return 0;
}

static int copy_groups(struct list *groups, struct context *ctx, bool thread)
{
	struct perf_event *leader;
	int err;

	list_for_each(leader, groups, group_link) {
		err = copy_group(leader, ctx, thread);
		if (err)
			return err;
	}
	return 0;
}

static bool any_inherited(const struct context *ctx, bool thread)
{
	const struct perf_event *event;

	list_for_each(event, &ctx->events, event_link)
		if (is_inherited(event, thread))
			return true;
	return false;
}

int inherit_fork(struct task *child, bool thread)
{
	struct perf_task *own = current_task()->perf;
	struct context *ctx;
	uint64_t flags;
	int err;

	if (!own || !any_inherited(&own->ctx, thread))
		return 0;
	ctx = context_of_task(child);
	if (!ctx)
		return -ENOMEM;
	flags = irq_save();
	err = copy_groups(&own->ctx.pinned, ctx, thread);
	if (!err)
		err = copy_groups(&own->ctx.steady, ctx, thread);
	if (!err)
		err = copy_groups(&own->ctx.flexible, ctx, thread);
	irq_restore(flags);
	return err;
}

struct last_words {
	struct perf_event *event;
	struct task *task;
};

static void note_count_here(void *argument)
{
	const struct last_words *words = argument;

	records_read(words->event, words->task);
}

/* Writes the READ record into the ring of the event's other records. */
static void note_count(struct perf_event *child, struct task *task)
{
	struct last_words words = {child, task};

	if (child->cpu >= 0)
		remote_call((uint32_t)child->cpu, note_count_here, &words);
	else
		records_read(child, task);
}

/* Adds an inherited event's counts to the event that was opened. */
static void fold_child(struct perf_event *child, struct task *task)
{
	struct perf_event *origin = child->parent;

	if (child->attr.inherit_stat)
		note_count(child, task);
	list_remove(&child->child_link);
	origin->child_count += (int64_t)event_count(child);
	origin->child_enabled += child->time_enabled;
	origin->child_running += child->time_running;
}

/*
 * Ends an event whose task exits, or (`exec`) executes another program that it must not count. As
 * on Linux, exec breaks up a group that it removes events from: the others continue. The counts of
 * a task that exited stay readable.
 */
static void event_exit(struct perf_event *event, struct task *task, bool exec)
{
	struct perf_event *origin = event->parent;
	uint64_t flags = irq_save();

	context_detach(event);
	event_set_state(event, EVENT_EXIT);
	if (origin)
		fold_child(event, task);
	if (origin || exec)
		group_detach(event);
	irq_restore(flags);
	event_wake(event);
	if (origin)
		event_free(event);
	else
		waitq_wake(&event_origin(event)->waitq);
}

void inherit_undo(struct task *child)
{
	struct perf_event *event, *next;

	list_for_each_safe(event, next, &child->perf->ctx.events, event_link) {
		uint64_t flags = irq_save();

		list_remove(&event->child_link);
		context_detach(event);
		group_detach(event);
		irq_restore(flags);
		event_free(event);
	}
}

static void disown_all(struct perf_task *own)
{
	struct perf_event *opened, *next;

	list_for_each_safe(opened, next, &own->owned, owner_link)
		list_remove(&opened->owner_link);
}

void inherit_exit(struct task *task)
{
	struct perf_task *own = task->perf;
	struct perf_event *event, *next;
	uint64_t flags;

	if (!own) {
		records_exit(task, NULL);
		return;
	}
	disown_all(own);
	flags = irq_save();
	if (own->ctx.active)
		sched_task_out(this_pmu_cpu(), &own->ctx);
	own->ctx.dead = true;
	irq_restore(flags);
	records_exit(task, &own->ctx);
	list_for_each_safe(event, next, &own->ctx.events, event_link)
		event_exit(event, task, false);
	own->ctx.task = NULL;
}

void inherit_exec(struct task *task)
{
	struct perf_task *own = task->perf;
	struct perf_event *event, *next;
	uint64_t flags = irq_save();

	rdpmc_switch(task->mm);
	irq_restore(flags);
	if (!own)
		return;
	list_for_each(event, &own->ctx.events, event_link) {
		if (!event->enable_on_exec)
			continue;
		event->enable_on_exec = false;
		if (event->state < EVENT_INACTIVE)
			event_enable(event);
	}
	list_for_each_safe(event, next, &own->ctx.events, event_link)
		if (event->attr.remove_on_exec || task->mm->dumpable != DUMPABLE_USER)
			event_exit(event, task, true);
}
