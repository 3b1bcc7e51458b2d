/* SPDX-License-Identifier: BSD-2-Clause */
/* PERF_TYPE_TRACEPOINT: trace events counted and sampled by perf events. */
#include "trace/base/perf.h"
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "pmu/core/core.h"
#include "pmu/core/software.h"
#include "pmu/core/sysfs.h"
#include "trace/base/event.h"

/* Counting tells little; a record tells what the kernel does with other's data. */
static int permit(const struct perf_event *event, const struct trace_event *trace)
{
	if (!(event->attr.sample_type & PERF_SAMPLE_RAW))
		return 0;
	if (!event->ctx->of_cpu && trace->flags & TRACE_CAP_ANY)
		return 0;
	return perf_limits.paranoid > -1 && !perf_privileged() ? -EPERM : 0;
}

int tracepoint_open(struct perf_event *event, struct trace_event *trace)
{
	int err = event->parent ? 0 : permit(event, trace);

	if (!err)
		err = trace_event_get(trace);
	if (!err)
		event->hw.trace = trace;
	return err;
}

static int tracepoint_event_init(struct perf_event *event)
{
	struct trace_event *trace;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return -ENOENT;
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	trace = trace_find(event->attr.config);
	return trace ? tracepoint_open(event, trace) : -EINVAL;
}

void tracepoint_destroy(struct perf_event *event)
{
	trace_filter_free(event->hw.filter);
	event->hw.filter = NULL;
	trace_event_put(event->hw.trace);
}

int tracepoint_add(struct perf_event *event)
{
	list_add_tail(&event->hw.trace->lists[this_cpu_read(id)], &event->hw.software_link);
	software_start(event);
	return 0;
}

static bool passes(const struct perf_event *event, const void *record)
{
	const struct perf_event *origin = event->parent ? event->parent : event;

	return !origin->hw.filter || trace_filter_match(origin->hw.filter, record);
}

/* What one record counts for: run time is counted by the nanosecond, as on Linux. */
static uint64_t number_of(const struct trace_record *record)
{
	return record->event == &trace_points[POINT_sched_stat_runtime]
		   ? ((const struct record_sched_stat_runtime *)record->header)->runtime
		   : 1;
}

/* A place in the kernel is none of an event that excludes it. */
static void count(struct perf_event *event, const struct trace_record *record)
{
	struct raw_data raw = {record->header, record->bytes};

	if ((event->attr.exclude_kernel && !frame_is_user(record->frame)) ||
	    !passes(event, record->header))
		return;
	event->hw.raw = &raw;
	software_count(event, number_of(record), record->frame, 0);
	event->hw.raw = NULL;
}

/* As on Linux only those of the other task's events that are for this processor alone. */
static void count_of_task(const struct trace_record *record, const struct context *ctx)
{
	struct perf_event *event;

	list_for_each(event, &ctx->events, event_link)
		if (event->hw.trace == record->event && event->state == EVENT_INACTIVE &&
		    event->cpu == (int)this_cpu_read(id))
			count(event, record);
}

void tracepoint_count(const struct trace_record *record, const struct task *about)
{
	struct perf_event *event, *next;

	list_for_each_safe(event, next, &record->event->lists[this_cpu_read(id)], hw.software_link)
		if (event->hw.running)
			count(event, record);
	if (about && about != current_task() && about->perf && !about->perf->ctx.active)
		count_of_task(record, &about->perf->ctx);
}

int tracepoint_set_filter(struct perf_event *event, const char *text)
{
	struct trace_filter *filter;
	int err;

	if (event->hw.filter)
		return -EEXIST;
	err = trace_filter_new(event->hw.trace, text, &filter);
	if (!err)
		__atomic_store_n(&event->hw.filter, filter, __ATOMIC_RELEASE);
	return err;
}

static const struct pmu tracepoint_pmu = {
    .caps = PMU_SOFTWARE | PMU_NO_NMI,
    .type = PERF_TYPE_TRACEPOINT,
    .event_init = tracepoint_event_init,
    .destroy = tracepoint_destroy,
    .add = tracepoint_add,
    .del = software_del,
    .start = software_start,
    .stop = software_stop,
    .read = software_read,
    .set_filter = tracepoint_set_filter,
};

void tracepoint_init(void)
{
	pmu_register(&tracepoint_pmu);
	sysfs_add_pmu("tracepoint", PERF_TYPE_TRACEPOINT);
}
