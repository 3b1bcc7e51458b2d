/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMUs whose hardware has room for one event (PMU_EXCLUSIVE): events of tasks and of processors
 * exclude each other, and a context has one for each processor. As Linux's kernel/events/core.c.
 * Hardware traces and branch records: as x86_add_exclusive() of its arch/x86/events/core.c. Context
 * of all: task.
 */
#include <linux/errno.h>
#include "pmu/core/core.h"

/* Opened events of each such PMU: of tasks if positive, of processors if negative. */
static int64_t opened[BRANCH_USES];

static bool is_exclusive(const struct perf_event *event)
{
	return event->pmu->caps & PMU_EXCLUSIVE;
}

/* -1 for a processor's event. An inherited one is counted with its parent. */
static int64_t weight_of(const struct perf_event *event)
{
	if (!is_exclusive(event) || event->parent)
		return 0;
	return event->ctx->of_cpu ? -1 : 1;
}

bool traces_exclude_branches;

/* Events with each use of the branch recording. */
static uint32_t users[BRANCH_USES];

static enum branch_use use_of(const struct perf_event *event)
{
	if (event->pmu->branch_use)
		return event->pmu->branch_use;
	return event->hw.branch_filter || event->hw.stores_branches ? BRANCH_RECORDS : BRANCH_NONE;
}

/* True while an event has another use that excludes this one. */
static bool is_taken(enum branch_use use)
{
	for (enum branch_use other = BRANCH_RECORDS; other < BRANCH_USES; other++)
		if (other != use && users[other] &&
		    (traces_exclude_branches || (use != BRANCH_TRACE && other != BRANCH_TRACE)))
			return true;
	return false;
}

int exclusive_open(struct perf_event *event)
{
	enum branch_use use = use_of(event);
	int64_t weight = weight_of(event);

	if (weight * opened[use] < 0 || (use && is_taken(use)))
		return -EBUSY;
	users[use]++;
	opened[use] += weight;
	return 0;
}

void exclusive_close(const struct perf_event *event)
{
	enum branch_use use = use_of(event);

	opened[use] -= weight_of(event);
	users[use]--;
}

static bool meet(const struct perf_event *one, const struct perf_event *other)
{
	return one->pmu == other->pmu &&
	       (one->cpu == other->cpu || one->cpu == -1 || other->cpu == -1);
}

int exclusive_join(const struct perf_event *event)
{
	const struct perf_event *other;

	if (!is_exclusive(event))
		return 0;
	list_for_each(other, &event->ctx->events, event_link)
		if (meet(event, other))
			return -EBUSY;
	return 0;
}
