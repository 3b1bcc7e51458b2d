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

/* What a place hands on. */
struct trace_record {
	struct trace_event *event;
	const struct trace_header *header;
	uint32_t bytes;
	struct frame *frame;
	const struct trace_arguments *arguments; /* of raw tracepoints; NULL: it is none */
};

/* Counts the record, as so many, for an event that takes samples. Context: interrupts masked, not
 * NMI. */
void tracepoint_sample(struct perf_event *event, const struct trace_record *record,
		       uint64_t number);
/* Gives the record to events of the task that it is about. Context: interrupts masked, not NMI. */
void tracepoint_tell_about(const struct trace_record *record, const struct task *about);

/* What PMUs of trace events do: pmu/core/event.h has what each means. tracepoint_open() is
 * event_init's second half: 0, -EPERM, or what trace_event_get() says. */
int tracepoint_open(struct perf_event *event, struct trace_event *trace);
void tracepoint_destroy(struct perf_event *event);
int tracepoint_add(struct perf_event *event);
int tracepoint_set_filter(struct perf_event *event, const char *text);

#endif
