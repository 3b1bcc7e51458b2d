/* SPDX-License-Identifier: BSD-2-Clause */
/* PERF_TYPE_TRACEPOINT: trace events counted and sampled by perf events. */
#include <linux/errno.h>
#include "arch/x86/cpu/cpu.h"
#include "pmu/base/context.h"
#include "pmu/base/hardware.h"
#include "pmu/base/limits.h"
#include "pmu/core/core.h"
#include "pmu/core/sysfs.h"
#include "pmu/record/userpage.h"
#include "pmu/soft/software.h"
#include "trace/base/hit.h"
#include "trace/base/perf.h"

/* A count reveals little; a raw record shows how the kernel handles other users' data. */
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
		err = trace_event_get(trace, TRACE_BY_PERF);
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
	trace_filter_free(event->hw.filter); /* NULL of an inherited event */
	event->hw.filter = NULL;             /* likewise: inherited ones use their origin's */
	trace_event_put(event->hw.trace, TRACE_BY_PERF);
}

int tracepoint_add(struct perf_event *event)
{
	list_add_tail(&event->hw.trace->lists[this_cpu_read(id)], &event->hw.software_link);
	software_start(event);
	return 0;
}

void tracepoint_sample(struct perf_event *event, const struct trace_record *record, uint64_t number)
{
	struct raw_data raw = {record->header, record->bytes};

	event->hw.raw = &raw;
	software_count(event, number, record->frame, 0);
	event->hw.raw = NULL;
}

/* As on Linux, only the other task's events that are bound to this processor. */
void tracepoint_emit_about(const struct trace_record *record, const struct task *about)
{
	struct perf_event *event;

	if (about == current_task() || !about->perf || about->perf->ctx.active)
		return;
	list_for_each(event, &about->perf->ctx.events, event_link)
		if (event->hw.trace == record->event && event->state == EVENT_INACTIVE &&
		    event->cpu == (int)this_cpu_read(id))
			hit_count(event, record, 1, frame_is_user(record->frame));
}

int tracepoint_set_filter(struct perf_event *opened, const char *text)
{
	struct trace_filter_fault fault = {0};
	struct trace_filter *filter;
	int err;

	if (opened->hw.filter)
		return -EEXIST;
	err = trace_filter_new(opened->hw.trace, text, &filter, &fault);
	if (!err)
		__atomic_store_n(&opened->hw.filter, filter, __ATOMIC_RELEASE);
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
