/* SPDX-License-Identifier: BSD-2-Clause */
/* How a PMU writes to the AUX area of an event, and reports it: PERF_RECORD_AUX,
 * PERF_RECORD_ITRACE_START. */
#ifndef PMU_RECORD_AUX_H
#define PMU_RECORD_AUX_H

#include "abi/linux/perf_event.h"
#include "pmu/base/context.h"
#include "ringbuf/aux.h"

/* A transaction: between aux_begin() and aux_end() the PMU may write `size` bytes from `head` on.
 */
struct aux_writer {
	struct perf_event *event; /* NULL: none is under way */
	struct aux_area *aux;
	uint64_t head;   /* of the area with overwrite: set by the PMU before aux_end() */
	uint64_t size;   /* 0 with overwrite */
	uint64_t wakeup; /* head at which the reader is to be woken */
	uint64_t flags;  /* PERF_AUX_FLAG_* */
};

/* Begins a transaction in the area of the event's ring. Returns the PMU's part of the area; NULL:
 * there is no area, or no room, in which case the event is disabled soon. Context: context_run(),
 * or the NMI. */
void *aux_begin(struct aux_writer *writer, struct perf_event *event);
/* Ends it with `size` more bytes: publishes aux_head, writes an AUX record and wakes the reader as
 * needed. Context: context_run(), or the PMI. */
void aux_end(struct aux_writer *writer, uint64_t size);
/* Returns the bytes of its leader's AUX area that a sample of the event contains: at most `room`,
 * a multiple of 8. Context: any. */
uint32_t aux_sample_bytes(const struct perf_event *event, uint32_t room);
/* Writes that many bytes. Context: any. */
void aux_sample_write(const struct perf_event *event, struct ring_writer *w, uint32_t bytes);
/* Writes ITRACE_START, once for each event that was opened. Context: context_run(), or the PMI. */
void aux_trace_started(struct perf_event *event);

#endif
