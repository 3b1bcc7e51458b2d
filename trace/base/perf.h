/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace events as perf events. */
#ifndef TRACE_PERF_H
#define TRACE_PERF_H

#include <stdint.h>

struct frame;
struct perf_event;
struct task;
struct trace_arguments;
struct trace_event;
struct trace_header;

/* A record on its way to the event's users. */
struct trace_record {
	struct trace_event *event;
	const struct trace_header *header;
	uint32_t bytes;
	struct frame *frame;
	const struct trace_arguments *arguments; /* of raw tracepoints; NULL: it is none */
};

/* Counts the record `number` times for an event that takes samples. Context: interrupts masked, not
 * NMI. */
void tracepoint_sample(struct perf_event *event, const struct trace_record *record,
		       uint64_t number);
/* Passes the record to events of the task that it is about. Context: interrupts masked, not NMI. */
void tracepoint_emit_about(const struct trace_record *record, const struct task *about);

/* Operations of the PMUs of trace events; pmu/core/event.h describes them. tracepoint_open() is the
 * second half of event_init: 0, -EPERM, or an error of trace_event_get(). */
int tracepoint_open(struct perf_event *event, struct trace_event *trace);
void tracepoint_destroy(struct perf_event *event);
int tracepoint_add(struct perf_event *event);
int tracepoint_set_filter(struct perf_event *event, const char *text);

#endif
