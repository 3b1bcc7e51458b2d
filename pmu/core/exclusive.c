/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PMUs whose hardware has room for one event (PMU_EXCLUSIVE): events of tasks and of processors
 * exclude each other, and a context has one for each processor. As Linux's kernel/events/core.c.
 * Hardware traces and branch records: as x86_add_exclusive() of its arch/x86/events/core.c. Context
 * of all: task.
 */
#include <linux/errno.h>
#include "pmu/core/core.h"

/* Opened events: of tasks if positive, of processors if negative. */
static int64_t opened;

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

/* Uses of a processor's branch recording, and how many events have each. */
enum use { USE_BRANCHES, USE_TRACE, NR_USES };

bool traces_exclude_branches;
static uint32_t users[NR_USES];

static bool has_use(const struct perf_event *event)
{
	return event->hw.branch_filter || (event->pmu->caps & PMU_ITRACE);
}

static enum use use_of(const struct perf_event *event)
{
	return event->pmu->caps & PMU_ITRACE ? USE_TRACE : USE_BRANCHES;
}

int exclusive_open(struct perf_event *event)
{
	int64_t weight = weight_of(event);

	if (weight * opened < 0)
		return -EBUSY;
	if (has_use(event)) {
		enum use use = use_of(event);

		if (traces_exclude_branches && users[use == USE_TRACE ? USE_BRANCHES : USE_TRACE])
			return -EBUSY;
		users[use]++;
	}
	opened += weight;
	return 0;
}

void exclusive_close(const struct perf_event *event)
{
	opened -= weight_of(event);
	if (has_use(event))
		users[use_of(event)]--;
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
